"""What a visit says of several GPUs: the links between them, and what its litmus counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.record.errors import quoted
from syncmeter_analysis.record.members import BadVisit, Members, flag, listed, whole

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


def links_of(line: Members) -> tuple[Link, ...]:
    """The links that a visit line names. Raises BadVisit."""
    return tuple(map(_link, listed(line, "links")))


def _link(members: Any) -> Link:
    if not isinstance(members, dict):
        raise BadVisit(f"a link is an object, not {quoted(members)}")
    return Link(
        whole(members, "from"),
        whole(members, "to"),
        flag(members, "peer_access") is True,
        flag(members, "native_atomics") is True,
        whole(members, "performance_rank", least=-1),
        whole(members, "nvlinks"),
    )


def litmus_of(line: Members) -> Litmus | None:
    """What a visit's litmus counted over its rounds; None without one. Raises BadVisit."""
    if "litmus_seen" not in line or "litmus_rounds" not in line:
        return None
    return Litmus(whole(line, "litmus_seen"), _words_of_a_round * whole(line, "litmus_rounds"))
