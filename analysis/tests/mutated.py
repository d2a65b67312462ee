"""Files as no program writes them, made of whole ones: lines and fields with something else in them,
and bytes that a disk or a stranger changed."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Draw = Any

#: Values that no member should have, each of which broke some reader once.
odd_values: list[Any] = [
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, -1e308, 1e-320, 10**18, 10**400, -(10**400)),
    *(float("inf"), float("-inf"), float("nan"), 2**31, 2**63, 4_000_000_000),
    *("", "1", "0x10", "1e999", "ok", "failed", "x" * 5000, "\ud800", "\x00", "\x1b[2J", "\u202e"),
    *("=1+1", "</script>", "a|b`c", "../../etc", "cuda", "omp", "none", "shared"),
    *([], [[]], [1, 2], [None], ["x"], [[1, 2]] * 3, {}, {"value": 1}, {"": {}}, {"pu": 1 << 40}),
    json.loads("[" * 200 + "]" * 200),
]
#: What stands in the place of some bytes.
odd_bytes = [
    *(
        b"",
        b"\n",
        b"\r\n",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b'"',
        b"{",
        b"}",
        b"[",
        b",",
        b"\\",
    ),
    *(
        b"[" * 5000,
        b'{"a":' * 5000,
        b"9" * 5000,
        b"1e999",
        b"NaN",
        b"-Infinity",
        b"\\ud800",
        b"null",
    ),
    *(b";", b"\t", b"1,5", b"-3", b"2.7", b'""', b"x" * 200_000, b"true", b'{"kind":"campaign"}'),
]


def _place(draw: Draw, value: Any) -> tuple[Any, Any]:
    """A container in the value and one of its members, which as often as not is a deeper one."""
    while True:
        name = draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
        inner = value[name]
        if not isinstance(inner, (dict, list)) or not inner or draw(st.booleans()):
            return value, name
        value = inner


def _change_a_member(draw: Draw, line: dict[str, Any]) -> None:
    container, name = _place(draw, line)
    way = draw(st.integers(0, 5))
    if way == 0:
        del container[name]
    elif way == 1 and isinstance(container, dict):
        container[draw(st.text(max_size=4) | st.sampled_from(["kind", "pus", "device"]))] = draw(
            st.sampled_from(odd_values)
        )
    elif way == 2 and isinstance(container[name], (int, float)) and abs(container[name]) < 1e300:
        container[name] *= draw(st.sampled_from([-1, 1e-300, 1e300, 1e6, 0, 0.5]))
    else:
        container[name] = draw(st.sampled_from(odd_values))


@st.composite
def results(draw: Draw, lines: list[bytes]) -> bytes:
    """Some of a results file's lines with changed members, then bytes of the whole changed."""
    first, rest = lines[0], lines[1:]
    kept = [first, *draw(st.lists(st.sampled_from(rest), min_size=2, max_size=12))]
    for _ in range(draw(st.integers(0, 4))):
        i = draw(st.just(0) | st.integers(0, len(kept) - 1))
        try:
            line = json.loads(kept[i])
        except ValueError:
            continue
        _change_a_member(draw, line)
        kept[i] = json.dumps(line).encode()
    text = b"\n".join(kept) + b"\n"
    return draw(changed_bytes(text)) if draw(st.integers(0, 3)) == 0 else text


@st.composite
def tables(draw: Draw, text: bytes) -> bytes:
    """A table with changed fields, then bytes of the whole changed."""
    rows = [line.split(b",") for line in text.splitlines()]
    for _ in range(draw(st.integers(0, 4))):
        row = draw(st.sampled_from(rows))
        row[draw(st.integers(0, len(row) - 1))] = draw(
            st.sampled_from(odd_bytes) | st.binary(max_size=6)
        )
    text = b"\n".join(b",".join(row) for row in rows) + b"\n"
    return draw(changed_bytes(text)) if draw(st.integers(0, 3)) == 0 else text


@st.composite
def changed_bytes(draw: Draw, text: bytes) -> bytes:
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 0, 1, 1, 8, 200, len(text)]))
        text = text[:begin] + draw(st.sampled_from(odd_bytes)) + text[begin + length :]
    return text
