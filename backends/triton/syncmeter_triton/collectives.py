"""Ops of a whole block in Triton's language, in the form of those in kernels.py: sums and scans by the
layout of their values, a conversion from one layout to another, a barrier. A thread has one value; of ops on
rows it is an element of a tensor of one row for each warp, which the compiler lays out so by default."""

import triton
import triton.language as tl


@triton.jit
def bits(value):
    return value.to(tl.core.get_int_dtype(value.dtype.primitive_bitwidth, signed=False), bitcast=True)


@triton.jit
def barrier(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    """Triton makes one of barriers that follow one another, so that an assembly without effect stands between."""
    operand = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [operand], operand.dtype, is_pure=False, pack=1)
    tl.debug_barrier()
    return operand, tally


@triton.jit
def reduce_add_sync(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    """The next sum is of this one, as in CUDA's op of the name; the tally is off this path."""
    operand = tl.broadcast_to(tl.sum(operand, axis=len(operand.shape) - 1, keep_dims=True), operand.shape)
    return operand, tally + bits(operand)


@triton.jit
def reduce_max_sync(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    operand = tl.broadcast_to(tl.max(operand, axis=len(operand.shape) - 1, keep_dims=True), operand.shape)
    return operand, tally + bits(operand)


@triton.jit
def sum_across_warps(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    return operand + tl.sum(operand, axis=0, keep_dims=True), tally


@triton.jit
def block_sum(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    """An integer grows by the sum; a float is mirrored at the mean, which keeps the sum. Were all values the same,
    no shuffle would be left of the sum in a warp."""
    total = tl.sum(operand)
    if operand.dtype.is_floating():
        return total * (2.0 / operand.shape[0]) - operand, tally
    else:
        return operand + total, tally


@triton.jit
def block_scan(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    return tl.cumsum(operand), tally


@triton.jit
def layout_conversion(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    """What is added comes from memory, in the layout of the rows: that of a constant would follow the operand's."""
    return tl.reshape(tl.trans(operand), operand.shape) + one, tally


OPS = {op.fn.__name__: op for op in (barrier, reduce_add_sync, reduce_max_sync, sum_across_warps, block_sum, block_scan,
                                     layout_conversion)}
#: Where each thread's value is: in one row of all, or in rows of a warp each.
VALUES = dict.fromkeys(("barrier", "block_sum", "block_scan"), "row") | {"layout_conversion": "moved rows"} | dict.fromkeys(
    ("reduce_add_sync", "reduce_max_sync", "sum_across_warps"), "rows")
