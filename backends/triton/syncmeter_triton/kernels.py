"""The ops in Triton's language, and the one kernel that times them. An op is a function of a lane's
cell, operand and tally, written once; it stands once in a step of the baseline loop and twice in one of
the test loop, as core/ops has it, so that test - baseline is the cost of one."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from . import collectives
from .collectives import bits


@triton.jit
def atomic_add(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.atomic_add(at, one, sem=SEM, scope=SCOPE)
    return operand, tally


@triton.jit
def atomic_fetch_add(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    return operand, tally ^ bits(tl.atomic_add(at, one, sem=SEM, scope=SCOPE))


@triton.jit
def atomic_max_raise(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    operand += one
    tl.atomic_max(at, operand, sem=SEM, scope=SCOPE)
    return operand, tally


@triton.jit
def atomic_max_hold(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.atomic_max(at, initial - one, sem=SEM, scope=SCOPE)
    return operand, tally


@triton.jit
def atomic_exchange(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    operand += one
    returned = tl.atomic_xchg(at, operand, sem=SEM, scope=SCOPE)
    return operand, tally + bits(returned) - bits(operand)


@triton.jit
def atomic_cas_pass(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    found = tl.atomic_cas(at, initial, initial, sem=SEM, scope=SCOPE)
    return operand, tally | (bits(found) ^ bits(initial))


@triton.jit
def atomic_cas_fail(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    found = tl.atomic_cas(at, initial + one, initial - one, sem=SEM, scope=SCOPE)
    return operand, tally | (bits(found) ^ bits(initial))


@triton.jit
def plain_read(at, operand, tally, one, initial, SEM: tl.constexpr, SCOPE: tl.constexpr):
    return operand, tally ^ bits(tl.load(at, volatile=True))


@triton.jit
def _read(lane, REGISTER: tl.constexpr):
    """Each thread's own reading; volatile, so that it stays where it is."""
    return tl.inline_asm_elementwise("mov.u64 $0, %" + REGISTER + ";", "=l,r", [lane], tl.int64,
                                     is_pure=False, pack=1)


def _symbol(specialization):
    of = specialization.constants
    return "_".join(str(of[name]) for name in ("NAME", "LANES", "COUNT"))


@triton.jit(repr=_symbol)
def _kernel(cells, planes, stride, trips, one, initial, OP: tl.constexpr, NAME: tl.constexpr, SEM: tl.constexpr,
            SCOPE: tl.constexpr, SHARED: tl.constexpr, OWN: tl.constexpr, VALUES: tl.constexpr, LANES: tl.constexpr,
            COUNT: tl.constexpr, STEPS: tl.constexpr):
    """`planes` are six rows of one value a thread: the clock before and after, the timer likewise, the tally, the
    operand. Of a shared cell the compiler sees that all lanes use one address, of a strided one it does not.
    VALUES: of atomics the operand is what the author of an op wants; else it is the lane's number, in one row or in
    one for each warp."""
    lane = tl.arange(0, LANES)
    thread = tl.program_id(0) * LANES + lane
    at = cells + (tl.zeros([LANES], tl.int32) if SHARED else thread * stride)
    ones = tl.zeros([LANES], cells.dtype.element_ty) + one
    initials = tl.zeros([LANES], cells.dtype.element_ty) + initial
    operand = initials + thread.to(cells.dtype.element_ty) if OWN else initials
    tally = bits(initials) ^ bits(initials)
    own = lane
    if (VALUES == "rows" or VALUES == "moved rows") and LANES > 32:
        own = tl.arange(0, LANES // 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
        if VALUES == "moved rows":
            ones = tl.load(cells + own * stride, volatile=True)
    if VALUES != "cells":
        operand = own.to(cells.dtype.element_ty)
        tally = bits(operand) ^ bits(operand)
    first_ns = _read(lane, "globaltimer")
    first = _read(lane, "clock64")
    for _ in tl.range(0, trips, loop_unroll_factor=1):
        for _ in tl.static_range(STEPS * (1 + COUNT)):
            operand, tally = OP(at, operand, tally, ones, initials, SEM, SCOPE)
    last = _read(lane, "clock64")
    last_ns = _read(lane, "globaltimer")
    row = tl.num_programs(0) * LANES
    to = planes + thread
    tl.store(to, first)
    tl.store(to + row, last)
    tl.store(to + 2 * row, first_ns)
    tl.store(to + 3 * row, last_ns)
    to = planes + tl.program_id(0) * LANES + own
    tl.store(to + 4 * row, tally.to(tl.int64))
    tl.store(to + 5 * row, bits(operand).to(tl.int64))


OPS = {op.fn.__name__: op for op in (atomic_add, atomic_fetch_add, atomic_max_raise, atomic_max_hold, atomic_exchange,
                                     atomic_cas_pass, atomic_cas_fail, plain_read)} | collectives.OPS
SCOPES = {"block": "cta", "device": "gpu", "system": "sys"}
TYPES = {"int32": "i32", "uint32": "u32", "uint64": "u64", "float": "fp32", "double": "fp64"}


def compiled(row, lanes, count, compute_capability):
    """The kernel of a row (table.Row) as Triton compiled it: its `asm["cubin"]`, and what a launch takes."""
    of = TYPES[row.type or "int32"]
    constants = {"OP": OPS[row.op], "NAME": row.name, "SEM": row.order, "SCOPE": SCOPES.get(row.scope, "gpu"),
                 "SHARED": row.placement == "shared", "OWN": row.oracle == "exchanges",
                 "VALUES": collectives.VALUES.get(row.op, "cells"), "LANES": lanes, "COUNT": count, "STEPS": row.unroll}
    arguments = {"cells": "*" + of, "planes": "*i64", "stride": "i32", "trips": "i32", "one": of, "initial": of}
    source = ASTSource(_kernel, signature=arguments | dict.fromkeys(constants, "constexpr"), constexprs=constants)
    return triton.compile(source, target=GPUTarget("cuda", compute_capability, 32),
                          options={"num_warps": lanes // 32})
