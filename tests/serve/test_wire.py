"""Lines on the socket: what is a request, what is not, and how both are answered."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from notesd.errors import Busy, NotesdError, ProtocolError, UnknownNote
from notesd.serve import wire

IDS = [
    pytest.param(b"0", id="zero"),
    pytest.param(b"-7", id="negative"),
    pytest.param(b"9007199254740993", id="beyond-double"),
    pytest.param(b"1" * 4000, id="four-thousand-digits"),
    pytest.param(b"1.50", id="fraction-as-written"),
    pytest.param(b"1e3", id="exponent-as-written"),
    pytest.param(b'"a"', id="text"),
    pytest.param(b'""', id="empty-text"),
    pytest.param(b'"\\u00e9\\n\\"\\\\"', id="escapes"),
    pytest.param('"é 😀 日本"'.encode(), id="unescaped"),
    pytest.param(b'"\\ud800"', id="lone-surrogate"),
    pytest.param(b'"\\ud83d\\ude00"', id="surrogate-pair"),
    pytest.param(b"null", id="null"),
]

NOT_JSON = [
    pytest.param(b"{", id="unfinished"),
    pytest.param(b"hello", id="word"),
    pytest.param(b"{'a':1}", id="python"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,', id="cut"),
    pytest.param(b"NaN", id="nan"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":NaN}}', id="nan-inside"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":Infinity}}', id="infinity-inside"),
    pytest.param(b"\x00", id="nul"),
    pytest.param(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"m"}', id="byte-order-mark"),
    pytest.param('{"jsonrpc":"2.0","id":1,"method":"m"}'.encode("utf-16"), id="utf-16"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"caf\xe9"}', id="latin-1"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"\xed\xa0\x80"}}', id="raw-surrogate"),
    pytest.param(
        b'{"jsonrpc":"2.0","id":1,"method":"m"}{"jsonrpc":"2.0","id":2,"method":"m"}', id="two-objects"
    ),
    pytest.param(b'{"jsonrpc":"2.0","id":01,"method":"m"}', id="leading-zero"),
    pytest.param(b'{"jsonrpc":"2.0","id":"a\x01b","method":"m"}', id="raw-control"),
    pytest.param(b'{"jsonrpc":"2.0","id":"\\ud800', id="cut-after-surrogate"),
    pytest.param(b"[" * 100_000, id="open-brackets"),
    pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep-array"),
    pytest.param(b'{"params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, id="deep-object"),
    pytest.param(b'{"jsonrpc":"2.0","id":' + b"1" * 5000 + b',"method":"m"}', id="number-of-5000-digits"),
    pytest.param(b'"' + b'\\"' * 200_000 + b"1" * 5000, id="unfinished-text"),
]

NO_REQUEST = [
    pytest.param(b"1", id="number"),
    pytest.param(b"null", id="null"),
    pytest.param(b'"x"', id="text"),
    pytest.param(b"true", id="true"),
    pytest.param(b"[]", id="empty-batch"),
    pytest.param(b'[{"jsonrpc":"2.0","id":1,"method":"m"}]', id="batch"),
    pytest.param(b"{}", id="empty"),
    pytest.param(b'{"id":1,"method":"m"}', id="no-version"),
    pytest.param(b'{"jsonrpc":"1.0","id":1,"method":"m"}', id="old-version"),
    pytest.param(b'{"jsonrpc":2.0,"id":1,"method":"m"}', id="version-as-number"),
    pytest.param(b'{"jsonrpc":"2.0","id":1}', id="no-method"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":5}', id="method-as-number"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":null}', id="method-null"),
    pytest.param(b'{"jsonrpc":"2.0","id":{},"method":"m"}', id="id-object"),
    pytest.param(b'{"jsonrpc":"2.0","id":[1],"method":"m"}', id="id-array"),
    pytest.param(b'{"jsonrpc":"2.0","id":true,"method":"m"}', id="id-true"),
    pytest.param(b'{"jsonrpc":"2.0","id":1e400,"method":"m"}', id="id-infinite"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}', id="params-text"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m","params":3}', id="params-number"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"m","params":null}', id="params-null"),
]


def _result(line: bytes) -> object:
    """Read an answer as a strict client does."""
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    return json.loads(line.decode("utf-8", "strict"))


@pytest.mark.parametrize("id_", IDS)
def test_ids_go_back_as_they_came(id_: bytes) -> None:
    """An id is echoed without being read as a number or text."""
    request = wire.decode(b'{"jsonrpc": "2.0", "id": ' + id_ + b' , "method": "m"}')

    assert request.id is not None
    assert id_ == bytes(request.id)
    assert json.loads(id_) == json.loads(wire.encode_result(request.id, 1))["id"]


def test_a_request_without_id_is_a_notification() -> None:
    """A missing id is not a null id."""
    assert wire.decode(b'{"jsonrpc":"2.0","method":"m"}').id is None


def test_parameters_stay_unread() -> None:
    """Parameters reach their method as they were written; none are an empty object."""
    assert (
        bytes(wire.decode(b'{"jsonrpc":"2.0","method":"m","params":{"a": [1, 2]}}').params)
        == b'{"a": [1, 2]}'
    )
    assert bytes(wire.decode(b'{"jsonrpc":"2.0","method":"m"}').params) == b"{}"


def test_unknown_members_are_passed_over() -> None:
    """What a later protocol may add to a request does no harm."""
    assert wire.decode(b'{"jsonrpc":"2.0","method":"m","trace":{"x":[1]}}').method == "m"


def test_a_carriage_return_is_blank() -> None:
    """Clients that end lines with CR LF are served."""
    assert wire.decode(b'{"jsonrpc":"2.0","method":"m"}\r').method == "m"


def test_lone_surrogates_become_replacement_characters() -> None:
    """A text that is no Unicode text is searched for as far as it is; pairs and backslashes stay."""
    line = rb'{"jsonrpc":"2.0","id":1,"method":"m\ud800","params":{"q":"\udc00 \ud83d\ude00 \\ud800"}}'
    request = wire.decode(line)

    assert request.method == "m\ufffd"
    assert json.loads(bytes(request.params)) == {"q": "\ufffd 😀 \\ud800"}


def test_no_depth_is_more_than_an_error() -> None:
    """Where one parser gives up and another does not, the request is served or refused all the same."""
    depths = range(600, 1100)
    line = rb'{"jsonrpc":"2.0","id":"\ud800","method":"m","params":%s%s}'
    codes = set()
    for depth in depths:
        try:
            wire.decode(line % (b"[" * depth, b"]" * depth))
        except ProtocolError as error:
            codes.add(error.code)

    assert codes == {-32700}


def test_long_digits_in_a_text_are_a_text() -> None:
    """Only numbers may be too long."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"q":"\\"' + b"1" * 5000 + b'"}}'

    assert wire.decode(line).method == "m"


@pytest.mark.parametrize("line", NOT_JSON)
def test_what_is_not_json_is_a_parse_error(line: bytes) -> None:
    """Anything that is no JSON text in UTF-8 gets -32700, and its id is not guessed."""
    with pytest.raises(wire.NotJson) as caught:
        wire.decode(line)

    assert caught.value.code == -32700
    assert bytes(wire.salvage_id(line)) == b"null"


@pytest.mark.parametrize("line", NO_REQUEST)
def test_json_that_is_no_request_is_an_invalid_request(line: bytes) -> None:
    """JSON that is not one request object gets -32600."""
    with pytest.raises(ProtocolError) as caught:
        wire.decode(line)

    assert caught.value.code == -32600


def test_the_id_of_an_invalid_request_is_kept_where_it_is_one() -> None:
    """A client can tell which of its requests was refused."""
    assert bytes(wire.salvage_id(b'{"jsonrpc":"1.0","id":"x"}')) == b'"x"'
    assert bytes(wire.salvage_id(b'{"jsonrpc":"2.0","id":{},"method":"m"}')) == b"null"


@given(st.binary(max_size=60))
def test_no_bytes_are_more_than_an_error(line: bytes) -> None:
    """Whatever comes, it is a request or a refusal."""
    try:
        wire.decode(line)
    except ProtocolError:
        wire.salvage_id(line)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda s: st.lists(s) | st.dictionaries(st.text(), s),
    )
)
def test_any_value_comes_back_as_itself(value: object) -> None:
    """What is sent as a result is what a client reads."""
    assert _result(wire.encode_result(Raw(b"1"), value)) == {"jsonrpc": "2.0", "id": 1, "result": value}


def test_answers_are_valid_json_whatever_they_hold() -> None:
    """Lone surrogates and numbers without a JSON form do not reach the client."""

    class Hit(Struct):
        name: str

    value = {
        "a\udc80": "\ud800x",
        "n": [float("nan"), float("inf")],
        "hit": Hit("\udfff"),
        "raw": Raw(b"[1,\n2]"),
    }

    assert _result(wire.encode_result(Raw(b"1"), value)) == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"a\ufffd": "\ufffdx", "n": [None, None], "hit": {"name": "\ufffd"}, "raw": [1, 2]},
    }


def test_a_result_without_json_form_is_the_callers_mistake() -> None:
    """The server turns this into an internal error."""
    with pytest.raises(TypeError):
        wire.encode_result(Raw(b"1"), object())


def test_errors_have_one_shape() -> None:
    """Code, sentence, kind, and the facts of the case beside the kind."""
    answer = _result(wire.encode_error(Raw(b'"q"'), UnknownNote("no such note", nearest=["a", "b"])))

    assert answer == {
        "jsonrpc": "2.0",
        "id": "q",
        "error": {
            "code": -32004,
            "message": "no such note",
            "data": {"kind": "unknown_note", "nearest": ["a", "b"]},
        },
    }


def test_facts_of_an_error_never_prevent_it() -> None:
    """A fact without a JSON form is written as text."""
    answer = _result(wire.encode_error(wire.NULL, Busy("wait\ud800", cause=ValueError("x"))))

    assert answer == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32051, "message": "wait\ufffd", "data": {"kind": "busy", "cause": "x"}},
    }


def test_notifications_have_no_id() -> None:
    """What a client did not ask for carries no id."""
    assert _result(wire.encode_notification("index.changed", {"space": "s"})) == {
        "jsonrpc": "2.0",
        "method": "index.changed",
        "params": {"space": "s"},
    }


@pytest.mark.parametrize("error", [wire.NotJson, wire.UnknownMethod, wire.Internal])
def test_the_protocols_own_errors_have_the_protocols_codes(error: type[NotesdError]) -> None:
    """JSON-RPC reserves these codes."""
    assert -32768 <= error.code <= -32600
