"""One visit of a point: the loops of both sides, launched in rounds, timed by the device and checked."""

import ctypes
import random
import struct
import time
from dataclasses import dataclass
from math import comb

from .device import Device, DriverError
from .kernels import compiled
from .table import MADE_AS, WARP, Row
from .values import WORD, left

#: By type: as struct has it, and as a kernel's argument.
TYPES = {"int32": ("i", ctypes.c_int32), "uint64": ("Q", ctypes.c_uint64), "float": ("f", ctypes.c_float),
         "double": ("d", ctypes.c_double)}
#: One block on a few lines meets one slice of L2, near or far, so that such a sample is made of launches on cells here
#: and there, the same places on both sides of a round.
ROAMING_BYTES, FEW_BYTES, MOST_LAUNCHES, ALIGNMENT = 16 << 20, 4096, 16, 512
SHORTEST_CLOCKED_NS = 10_000
ROWS = 6
ROW_BYTES = 8 * ROWS  # what a thread brings back, as the kernel writes it
FEWEST_ROUNDS, LATER_LOOK = 11, 1.3
#: A block is a program of Triton's: so many threads, a power of two of them.
LANES = [WARP << n for n in range(6)]


class Refused(Exception):
    """Why a point cannot be measured here."""


class WrongValue(Exception):
    """What a sample left behind, and what it had to."""


@dataclass
class Sample:
    """`ghz` is the clock that ran, 0 while all samples were too short to tell."""

    span_ns: float
    ghz: float
    slowest_over_fastest: float


class Rig:
    """The loops of one point on one device."""

    def __init__(self, device: Device, row: Row, point):
        self._device, self._row = device, row
        self.lanes, self.blocks = point["lanes"], point.get("blocks", 1)
        self._format, self._value = TYPES[row.type or "int32"]
        self._width = struct.calcsize(self._format)
        self._stride = point.get("stride", 0) if row.placement == "strided" else 0
        self._check_point(point)
        threads = self.lanes * self.blocks
        self._cells = threads if self._stride else 1
        self._span = ((self._cells - 1) * self._stride + 1) * self._width
        self._places = MOST_LAUNCHES if self.blocks == 1 and self._span <= FEW_BYTES else 1
        self._address = device.memory("cells", ROAMING_BYTES + self._span)
        self._planes = device.memory("planes", self._places * ROW_BYTES * threads)
        self._initial = {"unchanged": 7, "collective": 1}.get(row.oracle, 0)
        self._kernels = []
        for count in (0, 1):
            kernel = compiled(row, self.lanes, count, device.compute_capability)
            self._check_made_once(kernel, row.unroll * (1 + count))
            function = device.load(kernel.asm["cubin"], kernel.metadata.name)
            self._kernels.append((function, kernel.metadata.shared))
        fit = min(device.resident_blocks(f, self.lanes, shared) for f, shared in self._kernels)
        if self.blocks > fit:
            raise Refused(f"{self.blocks} blocks of {self.lanes} threads are not co-resident: at most {fit} are")
        self._ghz = 0.0

    def _check_point(self, point):
        if self.lanes not in LANES:
            raise Refused(f"a program of Triton's has {', '.join(map(str, LANES))} threads, not {self.lanes}")
        if self.lanes < self._row.min_lanes:
            raise Refused(f"{self._row.op} is of {self._row.min_lanes} threads or more, not {self.lanes}")
        for name in ("active", "waves", "base_offset", "cells", "size"):
            if point.get(name):
                raise Refused(f"the worker triton has no points with {name}")

    def _check_made_once(self, kernel, ops):
        """Where values are wanted in two layouts, Triton may do all that led to them twice."""
        name = MADE_AS.get(self._row.op)
        made = kernel.asm["ttgir"].count(name) if name else ops
        if not ops <= made <= ops + 2:  # before the loop and after it
            raise Refused(f"of {ops} {self._row.op} Triton made {made} for {self.lanes} threads, so that they are not the "
                          f"cost of one; of 1024 threads each is made once")

    def sample(self, side, trips, draw):
        """Side 0 is the baseline. `draw` chooses the places of the cells."""
        device, threads = self._device, self.lanes * self.blocks
        launches = min(self._places, trips)
        stretch = ROAMING_BYTES // launches // ALIGNMENT
        room = stretch - (FEW_BYTES // ALIGNMENT if launches > 1 else 0)
        places = [self._address + (n * stretch + draw.randrange(room)) * ALIGNMENT for n in range(launches)]
        cells = struct.pack(self._format, self._initial) * (self._span // self._width)
        shares = [trips // launches + (n < trips % launches) for n in range(launches)]
        for place in places:
            device.write(place, cells)
        function, shared = self._kernels[side]
        for n, place in enumerate(places):
            arguments = [ctypes.c_uint64(place), ctypes.c_uint64(self._planes + n * ROW_BYTES * threads),
                         ctypes.c_int32(self._stride), ctypes.c_int32(shares[n]), self._value(1),
                         self._value(self._initial), ctypes.c_uint64(0), ctypes.c_uint64(0)]
            device.launch(function, self.blocks, self.lanes, shared, arguments)
        device.wait()
        cycles = timer_ns = lane_cycles = lane_ns = 0
        slowest = 1.0
        for n, place in enumerate(places):
            planes = memoryview(device.read(self._planes + n * ROW_BYTES * threads, ROW_BYTES * threads)).cast("q")
            rows = [planes[i * threads:(i + 1) * threads] for i in range(ROWS)]
            first, last, first_ns, last_ns = (row[::WARP] for row in rows[:4])
            of_warps = [b - a for a, b in zip(first, last)]
            slowest = max(slowest, max(of_warps) / max(min(of_warps), 1))
            timer_ns += max(last_ns) - min(first_ns)
            cycles += max(last) - min(first)
            lane_cycles += of_warps[0]
            lane_ns += last_ns[0] - first_ns[0]
            self._check(place, shares[n] * self._row.unroll * (1 + side), rows[4], rows[5])
        if lane_ns >= SHORTEST_CLOCKED_NS:
            self._ghz = lane_cycles / lane_ns
        # Clocks of different multiprocessors have nothing in common, the timer is the device's.
        span_ns = timer_ns if self.blocks > 1 else cycles / (self._ghz or 1.0)
        return Sample(span_ns, self._ghz, slowest)

    def _check(self, place, ops, tally, operand):
        """What the cells have to hold after `ops` of each lane (core/harness/oracle.hpp), or the threads."""
        oracle = self._row.oracle
        if not oracle:
            return
        if oracle == "collective":
            in_tally, expected = left(self._row.op, self._row.type, self.lanes, ops)
            for thread, value in enumerate(tally if in_tally else operand):
                if value % WORD != expected[thread % self.lanes]:
                    raise WrongValue(f"oracle: thread {thread} holds {value % WORD} instead of "
                                     f"{expected[thread % self.lanes]}")
            return
        found = memoryview(self._device.read(place, self._span)).cast(self._format)[::self._stride or 1]
        lanes_of_cell = self.lanes * self.blocks // self._cells
        if oracle == "exchanges":
            bits = 8 * self._width
            words = memoryview(bytes(found)).cast("Q" if bits == 64 else "I")
            # Initial + written = returned + final, and the tally is returned - written.
            if (sum(words) + sum(tally)) % (1 << bits):
                raise WrongValue("the values exchanged do not add up: some were lost or doubled")
            return
        if oracle == "unchanged" and any(tally):
            raise WrongValue("a compare-and-swap found another value than the cell's")
        expected = {"adds": ops * lanes_of_cell, "raises": ops}.get(oracle, self._initial)
        if self._format in "fd":
            expected = float(min(expected, 1 << (24 if self._format == "f" else 53)))
        elif oracle == "adds":
            expected = struct.unpack(self._format, struct.pack("<Q", expected % (1 << 64))[:self._width])[0]
        if any(value != expected for value in found):
            wrong = next(value for value in found if value != expected)
            raise WrongValue(f"oracle: a cell holds {wrong} instead of {expected}: updates were lost or doubled")


def interval(values):
    """The median, and the order statistics that hold it in 95 of 100 cases."""
    values, n = sorted(values), len(values)
    k, below = 0, 0.0
    while below + comb(n, k) / 2**n <= 0.025:
        below += comb(n, k) / 2**n
        k += 1
    middle = (values[(n - 1) // 2] + values[n // 2]) / 2
    k = max(k, 1)
    return {"value": middle, "low": values[k - 1], "high": values[n - k]}


def _trips(rig, options, number):
    """So many that a sample of the test loop lasts the time asked for."""
    if options.get("trips"):
        return options["trips"]
    trips = 1
    while trips < 1 << 24:
        taken = rig.sample(1, trips, random.Random(number))
        if taken.span_ns >= options["min_sample_ns"] and taken.ghz:
            break
        trips *= 2
    return trips


def visit(device, row, point, options, number):
    """The members of a visit that are not the request's. Its cells are where those of the visit of the same `number` are
    in every campaign, so that campaigns differ by their places as little as their memory does."""
    begun = time.monotonic_ns()
    try:
        rig = Rig(device, row, point)
        trips = _trips(rig, options, number)
        return _measured(rig, row, trips, options, number, begun)
    except Refused as why:
        return {"status": "unsupported", "reason": str(why)}
    except WrongValue as why:
        return {"status": "failed", "reason": str(why)}
    except DriverError as why:  # with which the context is lost
        return {"status": "failed", "reason": str(why), "worker_ends": True}


def _measured(rig, row, trips, options, number, begun):
    ops = trips * row.unroll
    order, places = random.Random(options["seed"]), random.Random(number)
    rounds, costs, cycles, timed, look = [], [], [], 0.0, FEWEST_ROUNDS
    slowest = 1.0
    started, stopped_by = time.monotonic_ns(), "precision"
    while True:
        of_round = places.getrandbits(32)
        sides = [0, 1]
        order.shuffle(sides)
        taken = dict(zip(sides, [rig.sample(side, trips, random.Random(of_round)) for side in sides]))
        spans = [taken[side].span_ns for side in (0, 1)]
        ghz = taken[1].ghz
        rounds.append([*spans, 0, False])
        timed += sum(spans)
        costs.append((spans[1] - spans[0]) / ops)
        cycles.append(costs[-1] * ghz)
        slowest = max(slowest, taken[1].slowest_over_fastest)
        if len(rounds) < look:
            continue
        found = interval(costs)
        if found["high"] - found["low"] <= 2 * options["precision"] * abs(found["value"]):
            break
        if time.monotonic_ns() - started > options["max_time_ns"]:
            stopped_by = "max_time"
            break
        look = int(len(rounds) * LATER_LOOK) + 1
    status, reason = "ok", ""
    if found["high"] < 0:
        status, reason = "interferes", "its interval is below 0"
    elif found["low"] <= 0:
        status, reason = "not_resolved", f"the interval holds 0: at most {found['high']:.4g} ns per op"
    steps = [interval([r[side] for r in rounds])["value"] / ops for side in (0, 1)]
    estimate = {"state": 0, "busy": False, "rounds": len(rounds), "share": 1.0, "cost_ns": found,
                "cost_cycles": interval(cycles), "baseline_ns": steps[0], "test_ns": steps[1]}
    return {"status": status, "reason": reason, "stopped_by": stopped_by, "trips": trips, "unroll": row.unroll,
            "ops_per_step": 1, "rounds_taken": len(rounds), "rounds_kept": len(rounds), "drops": {},
            "estimates": [estimate], "slowest_over_fastest": slowest, "sm_clock_ghz": ghz, "timed_ns": timed,
            "elapsed_ns": time.monotonic_ns() - begun, "rounds": rounds[:50]}
