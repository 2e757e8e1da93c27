"""The real model: its vectors against numpy, its tokens, its questions across languages."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from forward_pass import ForwardPass
from many_tongues import TEXTS, all_texts
from tiny_model import describe

from notesd.embed.child import COMMAND
from notesd.embed.encoder import Encoder
from notesd.embed.messages import TokenizerName
from notesd.embed.passages import TEXT_RULES
from notesd.embed.process import EmbeddingProcess
from notesd.embed.tokens import Tokens, Whole
from notesd.models.convert import convert
from notesd.models.install import verify
from notesd.models.manifest import TOKENIZER, fingerprint, read
from notesd.models.packed import Packed

E5, ENGLISH = "multilingual-e5-small", "all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def encoder(real_models: str) -> Encoder:
    """The default model."""
    return Encoder(os.path.join(real_models, E5))


@pytest.fixture(scope="module")
def process(real_models: str) -> Iterator[EmbeddingProcess]:
    """The default model in its own process."""
    folder = os.path.join(real_models, E5)
    started = EmbeddingProcess(folder, read(folder))
    yield started
    started.close()


def test_both_models_are_whole(real_models: str) -> None:
    """Every byte is what it was when it was installed."""
    manifests = [verify(name, real_models) for name in (E5, ENGLISH)]

    assert [manifest.dimensions for manifest in manifests] == [384, 384]
    assert len({fingerprint(each, "passages", TEXT_RULES) for each in manifests}) == 2


TOKENS = [
    pytest.param("hello world", [33600, 31, 8999], id="English"),
    pytest.param(
        "El pingüino comió piñas en Málaga",
        [540, 33429, 3449, 4043, 375, 12632, 2147, 40693, 22, 10556, 10661],
        id="accents",
    ),
    pytest.param("café niño", [26216, 83500], id="decomposed accents"),
    pytest.param(
        "\uff26\uff35\uff2c\uff2c\u3000\uff57\uff49\uff44\uff54\uff48 \uff11\uff12\uff13",
        [167765, 6, 146984, 37638],
        id="full-width",
    ),
    pytest.param("ｶﾀｶﾅ", [6, 10045, 10793, 10045, 17456], id="half-width kana"),
    pytest.param("番茄：三月在室内播种", [6, 237071, 12, 1971, 630, 213, 105740, 38387, 17104], id="Chinese"),
    pytest.param("二つのプロセスが同時に", [87744, 40671, 228631, 281, 175934], id="Japanese"),
    pytest.param("사워도우는 따뜻한", [5939, 11529, 1048, 141848, 185486], id="Korean"),
    pytest.param("تُزرع في الداخل", [746, 577, 132064, 240, 178436], id="Arabic"),
    pytest.param("आख़िरी पाले", [2220, 173597, 21744, 659, 8761, 535], id="Hindi"),
    pytest.param("ภาษาไทย", [6, 175832], id="Thai"),
    pytest.param("👍🏽 ❤️ 🇪🇸", [6, 118280, 245164, 49933, 15755, 6, 246143, 249717], id="emoji"),
    pytest.param(
        "\U0001f469\u200d\U0001f680 \U0001f468\u200d\U0001f469\u200d\U0001f467",
        [6, 244785, 6, 247206, 6, 244314, 6, 244785, 6, 245719],
        id="joined emoji",
    ),
    pytest.param("z͑̓ä̲lgo", [97, 3, 244403, 973, 243673, 141, 519], id="combining marks"),
    pytest.param("ﬁne ½ ㎏ ①", [5885, 78660, 5279, 106], id="ligatures and fractions"),
    pytest.param("soft\xadhyphen zero\u200bwidth", [32977, 231, 3038, 88322, 45234, 6, 146984], id="joiners"),
    pytest.param("  a \t\n\u3000 b  ", [10, 876, 6], id="blanks"),
    pytest.param(
        "def f(x): return x**2  # </b>",
        [8, 420, 1238, 132, 425, 2077, 30646, 1022, 25442, 304, 468, 6, 42946, 275, 2740],
        id="code",
    ),
    pytest.param("𐀀𓂀", [6, 3], id="unknown signs"),
    pytest.param("", [], id="nothing"),
]
"""Texts and what the model's own tokenizer makes of them."""


@pytest.mark.parametrize(("text", "ids"), TOKENS)
def test_tokens_are_those_of_the_model(encoder: Encoder, text: str, ids: list[int]) -> None:
    """Accents, full width, scripts without blanks, emoji and marks are cut as the model learned them."""
    assert encoder.token_ids(text) == [0, *ids, 2]


ODD = (
    *(
        "",
        " ",
        "trailing   ",
        "\n\u3000both \u3000",
        "a\0b",
        "\u200b",
        "▁",
        "typed▁sign",
        "a\r\nb",
        "\ufeffx",
    ),
    *("</s>", "<mask>", "<s>", "<pad>", "<unk>", "＜/s＞", "a </s> b", "<</s>s>", " <mask> "),
    *(
        "e\u0301 n\u0303 a\u0308\u0301",
        "ａ\u0308 ½\u0301 …\u0301",
        "©\ufe0f ™\ufe0f 1\ufe0f\u20e3 ❤\ufe0f",
        "กำ ำ",
    ),
    *("iii viii xiii", "", "─" * 200, "=" * 999, "---", "aaaaaaaa " * 40, "哈哈哈哈哈哈", "ｗｗｗｗｗ"),
    *("word " * 2000, "字" * 3000, "日本語の文章は空白なしに続く。" * 200, "𐀀𓂀𐀀 𓂀", "\ud83d half"),
    r"as given.\n\n**Excessive** cess|ive.**Excessive**",  # "ces" and "sive" score what "cess" and "ive" do
    "https://example.org/a/b?c=d&e=%20#f 0x7f 2026-11-30T00:41:00+00:00 $x^2 + y_{ij}$ |a|b| ~~no~~ `code`",
)
"""Texts that two tokenizers may well cut in two ways."""


def batched(characters: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield so many characters at a time."""
    left = iter(characters)
    while batch := tuple(islice(left, size)):
        yield batch


def test_both_tokenizers_give_the_same_tokens(encoder: Encoder, real_models: str) -> None:
    """In ten languages, for every text of the tables above, and for each character of the first plane."""
    folder = os.path.join(real_models, E5)
    whole = Tokens(Whole(os.path.join(folder, TOKENIZER)), encoder.manifest.max_tokens)
    singles = (chr(at) for at in range(1, 0x10000) if not 0xD800 <= at < 0xE000)
    texts = [*all_texts(10), *(text for each in TEXTS.values() for text in each)]
    texts += [*(str(each.values[0]) for each in TOKENS), *ODD, *map(" ".join, batched(singles, 16))]

    assert (encoder.tokenizer, encoder.remark) == ("sentencepiece", "")
    assert [text for text in texts if encoder.token_ids(text) != whole.whole(text)] == []
    assert [text for text in texts if encoder.count_tokens(text) != len(whole.pieces(text))] == []


def test_the_english_model_keeps_its_tokenizer(real_models: str) -> None:
    """Its vocabulary is none for sentencepiece: the other library cuts, and that is as it has to be."""
    encoder = Encoder(os.path.join(real_models, ENGLISH))

    assert (encoder.tokenizer, encoder.remark) == ("tokenizers", "")


WITHOUT = (
    *(sys.executable, "-P", "-c"),
    (
        "import runpy, sys; sys.modules['sentencepiece'] = None; "
        "runpy.run_module('notesd.embed.worker', run_name='__main__')"
    ),
)
"""The embedding process where sentencepiece is not installed."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process says how much it took at most")
@pytest.mark.parametrize(("tokenizer", "most"), [("tokenizers", 450e6), ("sentencepiece", 250e6)])
def test_memory_of_the_process(real_models: str, tokenizer: TokenizerName, most: float) -> None:
    """Full passages with many different words, and the process never takes more than it may."""
    folder = os.path.join(real_models, E5)
    manifest = read(folder)
    # Each text with pieces of its own: in the end the whole table of words has been read.
    pieces = [piece for piece, _ in json.loads(Path(folder, TOKENIZER).read_bytes())["model"]["vocab"][4:]]
    texts = ["".join(pieces[at::600]).replace("\u2581", " ") for at in range(40)]
    process = EmbeddingProcess(folder, manifest, command=COMMAND if tokenizer == "sentencepiece" else WITHOUT)
    try:
        assert all(isinstance(result, bytes) for result in process.encode_passages(texts))
        status = Path(f"/proc/{process.state().pid}/status").read_text(encoding="ascii")
    finally:
        process.close()

    high_water = 1024 * int(status.partition("VmHWM:")[2].split()[0])
    assert process.ready
    assert (process.ready.tokenizer, bool(process.ready.remark)) == (tokenizer, tokenizer == "tokenizers")
    assert high_water < most


@pytest.mark.parametrize(("variant", "least"), [("fp32", 0.9999), ("w8a8", 0.998), ("q4", 0.9998)])
def test_vectors_are_those_of_the_weights(
    real_weights: str, tmp_path_factory: pytest.TempPathFactory, variant: str, least: float
) -> None:
    """Every form gives what numpy computes from the same weights, in each of ten languages."""
    folder = str(tmp_path_factory.mktemp(variant) / variant)
    os.mkdir(folder)
    convert(real_weights, folder, variant)
    describe(folder, dimensions=384, max_tokens=512)
    encoder, reference = Encoder(folder), ForwardPass(Packed(real_weights))

    cosines = {
        language: float(
            encoder.encode_passage(texts[0]) @ reference.vector(encoder.token_ids(f"passage: {texts[0]}"))
        )
        for language, texts in TEXTS.items()
    }

    assert {language: cosine for language, cosine in cosines.items() if cosine < least} == {}


def test_padding_changes_nothing(encoder: Encoder, real_models: str) -> None:
    """The published design, padded to 512 tokens, gives the same vectors."""
    padded = Encoder(os.path.join(real_models, E5), pad_to=512)

    for text in all_texts(10):
        assert float(encoder.encode_passage(text) @ padded.encode_passage(text)) >= 0.99999


def test_a_question_finds_its_answer_in_another_language(encoder: Encoder) -> None:
    """Each sentence is nearest to its own translation, for nine languages out of ten at least."""
    english = np.array([encoder.encode_passage(text) for text in TEXTS["English"]])
    found = [
        int(np.argmax(english @ encoder.encode_query(text))) == at
        for language, texts in TEXTS.items()
        if language != "English"
        for at, text in enumerate(texts)
    ]

    assert sum(found) >= 0.9 * len(found)


@pytest.mark.parametrize("typed", ["</s>", "<mask>", "<s>", "<pad>", "<unk>", "＜/s＞", "a </s> b"])
def test_typed_special_tokens_stay_text(encoder: Encoder, typed: str) -> None:
    """What somebody types never becomes a token that ends or hides the text."""
    ids = encoder.token_ids(typed)

    assert (ids[0], ids[-1]) == (0, 2)
    assert {0, 1, 2, 250001} & set(ids[1:-1]) == set()


def test_the_english_model_is_only_data(real_models: str) -> None:
    """Another model, with no prefixes and 256 tokens, works through the same code."""
    encoder = Encoder(os.path.join(real_models, ENGLISH))
    bread = encoder.encode_passage("The dough rises for six hours.")
    boat = encoder.encode_passage("The engine of the boat lost oil.")
    question = encoder.encode_query("How long does bread need to rise?")

    assert len(encoder.token_ids("word " * 1000)) == 256
    assert float(question @ bread) > float(question @ boat) + 0.2
    assert encoder.token_ids("[SEP]")[1:-1] != [encoder.token_ids("a")[-1]]


def test_the_process_gives_the_encoder_s_vectors(encoder: Encoder, process: EmbeddingProcess) -> None:
    """Between the daemon and the model nothing is lost, and counts agree."""
    texts = all_texts(10)

    for text, vector in zip(texts, process.encode_passages(texts), strict=True):
        assert isinstance(vector, bytes)
        assert np.array_equal(np.frombuffer(vector, "<f4"), encoder.encode_passage(text))
    assert process.count_tokens(texts) == [encoder.count_tokens(text) for text in texts]
