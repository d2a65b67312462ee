"""What the machine code of an op says in one line."""

from __future__ import annotations

from typing import Any

#: Classes of instructions that are the compiler's affair on every side: moves, address arithmetic (a
#: GPU's multiply-add among it), the loop's own jump; the driver's `is_bookkeeping`.
bookkeeping = frozenset({"move", "alu", "imad", "jump", "reconverge", "nop", "frame"})


def code_of(census: dict[str, Any] | None) -> str:
    """What one op compiled to, without moves and addresses: `lock_add 1`; '' where nobody knows."""
    per_op = census.get("per_op") if census else None
    if not isinstance(per_op, dict):
        return ""
    return ", ".join(
        f"{name} {count:g}"
        for name, count in sorted(per_op.items())
        if isinstance(count, (int, float)) and count and name not in bookkeeping
    )
