"""What the collectives (collectives.py) leave in each thread of a block after so many of them, by closed forms: a
value that was lost, doubled or taken from another thread is seen, in whichever op it was."""

import struct
from functools import lru_cache

from .table import WARP

WORD = 1 << 32


def _grown(start, added, factor, ops):
    """start + added * (1 + factor + ... + factor^(ops - 1)) of 32 bits."""
    series = (pow(factor, ops, (factor - 1) * WORD) - 1) // (factor - 1)
    return (start + added * series) % WORD


def _tally_of_sums(lane, lanes, ops):
    """Each sum is 32 times the one before, so that few have bits left."""
    first = sum(lane // WARP * WARP + n for n in range(WARP))
    return sum(first * WARP**k for k in range(min(ops, 7))) % WORD


def _tally_of_maxima(lane, lanes, ops):
    return ops * (lane // WARP * WARP + WARP - 1) % WORD


def _across_warps(lane, lanes, ops):
    warps = lanes // WARP
    return _grown(lane, sum(lane % WARP + n * WARP for n in range(warps)), warps + 1, ops)


def _block_sum(lane, lanes, ops):
    return _grown(lane, lanes * (lanes - 1) // 2, lanes + 1, ops)


def _mirrored(lane, lanes, ops):
    return struct.unpack("I", struct.pack("f", lanes - 1 - lane if ops % 2 else lane))[0]


def _scanned(lanes, ops):
    """Lane i has the binomial coefficient of i + ops over ops + 1."""
    found, value = [0], 1
    for lane in range(1, lanes):
        found.append(value % WORD)
        value = value * (lane + 1 + ops) // lane
    return found


def _transposed(lanes, ops):
    """Lane i of the next one has the value of lane i % warps * 32 + i // warps, and one more."""
    warps = lanes // WARP
    comes_from = [lane % warps * WARP + lane // warps for lane in range(lanes)]
    at, step, left = list(range(lanes)), comes_from, ops
    while left:  # powers of the permutation
        if left & 1:
            at = [at[n] for n in step]
        step, left = [step[n] for n in step], left >> 1
    return [(n + ops) % WORD for n in at]


_TALLIES = {"reduce_add_sync": _tally_of_sums, "reduce_max_sync": _tally_of_maxima}
_OPERANDS = {("sum_across_warps", "int32"): _across_warps, ("block_sum", "int32"): _block_sum,
             ("block_sum", "float"): _mirrored}
_OF_ALL = {"block_scan": _scanned, "layout_conversion": _transposed}


@lru_cache(maxsize=8)
def left(op, type, lanes, ops):
    """Whether the tally has it, else the operand, and the bits of each lane."""
    if op in _OF_ALL:
        return False, _OF_ALL[op](lanes, ops)
    of_lane = _TALLIES.get(op) or _OPERANDS[op, type]
    return op in _TALLIES, [of_lane(lane, lanes, ops) for lane in range(lanes)]
