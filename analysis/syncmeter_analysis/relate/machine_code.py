"""What an op compiled to, from the census of its machine code."""

from __future__ import annotations

from typing import Any

#: Classes of instructions that find addresses, count and jump around an op, and are none of it: those
#: of the driver (is_bookkeeping in driver/census/rule/census.cpp).
bookkeeping = frozenset({"move", "alu", "imad", "jump", "reconverge", "nop", "frame"})


def code_of(census: dict[str, Any] | None) -> str:
    """The instructions of one op without bookkeeping: `lock_add 1`."""
    per_op = census.get("per_op") if census else None
    if not isinstance(per_op, dict):
        return ""
    return ", ".join(
        f"{name} {count:g}"
        for name, count in sorted(per_op.items())
        if isinstance(count, (int, float)) and count and name not in bookkeeping
    )
