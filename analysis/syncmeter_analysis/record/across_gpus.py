"""What a visit says of several GPUs: the links between them, and what its litmus counted."""

from __future__ import annotations

from dataclasses import dataclass

from syncmeter_analysis.record.members import Members

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


def link_of(members: Members) -> Link:
    """The link that these members, which were checked, describe."""
    return Link(
        int(members.get("from") or 0),
        int(members.get("to") or 0),
        members.get("peer_access") is True,
        members.get("native_atomics") is True,
        int(members.get("performance_rank") or 0),
        int(members.get("nvlinks") or 0),
    )


def litmus_of(line: Members) -> Litmus | None:
    """What a visit's litmus counted over its rounds; None without one."""
    if "litmus_seen" not in line or "litmus_rounds" not in line:
        return None
    rounds = line["litmus_rounds"] or 0
    return Litmus(int(line["litmus_seen"] or 0), _words_of_a_round * int(rounds))
