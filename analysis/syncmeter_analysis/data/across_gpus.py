"""What a visit says of several GPUs: the links between them, and what its litmus counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Each of the two sides of a litmus looks at two words in a round.
_words_of_a_round = 4


@dataclass(frozen=True, slots=True)
class Link:
    """How device `source` reaches device `target`; `nvlinks` are those of the source that are up."""

    source: int
    target: int
    peer_access: bool
    native_atomics: bool
    performance_rank: int
    nvlinks: int


@dataclass(frozen=True, slots=True)
class Litmus:
    """Words that were stale, of those looked at."""

    stale: int = 0
    looked_at: int = 0

    def __add__(self, other: Litmus) -> Litmus:
        return Litmus(self.stale + other.stale, self.looked_at + other.looked_at)


def _count(value: Any) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return max(value, 0) if whole else 0


def links_of(line: dict[str, Any]) -> tuple[Link, ...]:
    """The links that a visit line names; what is no object is left out."""
    found = line.get("links")
    return tuple(
        Link(
            _count(link.get("from")),
            _count(link.get("to")),
            link.get("peer_access") is True,
            link.get("native_atomics") is True,
            _count(link.get("performance_rank")),
            _count(link.get("nvlinks")),
        )
        for link in (found if isinstance(found, list) else [])
        if isinstance(link, dict)
    )


def litmus_of(line: dict[str, Any]) -> Litmus | None:
    """What a visit's litmus counted over its rounds; None without one."""
    if "litmus_seen" not in line or "litmus_rounds" not in line:
        return None
    return Litmus(_count(line["litmus_seen"]), _words_of_a_round * _count(line["litmus_rounds"]))
