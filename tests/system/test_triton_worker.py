"""The worker of Triton: what it says without a GPU and without Triton, how it measures a made-up device, and the machine
code of its kernels where Triton is (for another Python than this one: SYNCMETER_TRITON_PYTHON)."""

import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys
import types
import zipapp

import pytest

from conftest import driver_path

SOURCE = pathlib.Path(__file__).parents[2] / "backends/triton"
PYTHON = os.environ.get("SYNCMETER_TRITON_PYTHON", sys.executable)
CODE = {"op": "atomic_add", "type": "int32", "order": "relaxed", "scope": "device", "placement": "strided", "oracle": "adds"}
COLLECTIVES = ("barrier", "reduce_add_sync", "reduce_max_sync", "sum_across_warps", "block_sum", "block_scan",
               "layout_conversion")

LACKS_TRITON = "has no Triton: `pip install triton` for the Python that runs this worker"


def asked(program):
    return json.loads(subprocess.run([program, "--capabilities"], capture_output=True, encoding="utf-8", check=True).stdout)


def has_triton():
    return subprocess.run([PYTHON, "-c", "import triton"], capture_output=True, check=False).returncode == 0


@pytest.fixture
def program(campaign):
    path = campaign.bin / "syncmeter-triton"
    zipapp.create_archive(SOURCE, path, PYTHON, "syncmeter_triton.worker:main", lambda file: "pycache" not in str(file))
    path.chmod(0o755)
    return path


def test_it_has_no_fault(campaign, program):
    status, out, err = campaign.call("check-worker", str(program))
    assert (status, err) == (0, "") and "of triton in 146 entries" in out, out


def test_what_is_missing_is_said(campaign, program):
    if not has_triton():
        done = subprocess.run([program, "--machine-code", "/tmp", "any"], capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout) == (1, "") and LACKS_TRITON in done.stderr
    (backend,) = asked(program)["backends"]
    if not backend["device"]["devices"]:
        why = "no CUDA" if has_triton() else LACKS_TRITON
        assert why in backend["problem"]
        if not driver_path().with_name(program.name).exists():  # which would go before this one
            status, _, err = campaign.call("run", "--backend", "triton")
            assert status == 2 and why in err


def test_the_default_comes_first(program):
    first = {}
    for entry in asked(program)["ops"]:
        first.setdefault(entry["op"], (entry["order"], entry.get("scope")))
    for op in ("plain_read", *COLLECTIVES):
        assert first.pop(op) == ("unordered", None)
    assert set(first.values()) == {("acq_rel", "device")}


@pytest.fixture
def modules(monkeypatch):
    """table and visit, with a compiler whose kernel is the number of measured ops."""
    monkeypatch.syspath_prepend(SOURCE)
    kernels = types.ModuleType("syncmeter_triton.kernels")
    kernels.made = 1
    kernels.compiled = lambda row, lanes, count, capability: types.SimpleNamespace(
        asm={"cubin": count, "ttgir": '"tt.reduce" ' * kernels.made * 8 * (1 + count)}, metadata=types.SimpleNamespace(name="kernel", shared=0))
    monkeypatch.setitem(sys.modules, kernels.__name__, kernels)
    from syncmeter_triton import table, visit
    yield table, visit
    for name in [name for name in sys.modules if name.startswith("syncmeter_triton")]:
        del sys.modules[name]


class MadeUpDevice:
    """Adds 1 to each lane's cell in 5 ns, with a clock of 2 GHz; `lost` of them never arrive."""

    compute_capability, lost = 90, 0

    def __init__(self):
        self.cells, self.brought = {}, {}

    def memory(self, use, size):
        return {"cells": 1 << 32, "planes": 1 << 40}[use]

    def load(self, cubin, name):
        return cubin

    def resident_blocks(self, function, threads, shared):
        return 8

    def write(self, address, data):
        self.cells[address] = memoryview(bytearray(data)).cast("i")

    def launch(self, count, blocks, lanes, shared, arguments):
        cells, planes, _, trips, *_ = (a.value for a in arguments)
        ops = trips * 32 * (1 + count)
        for lane in range(len(self.cells[cells])):
            self.cells[cells][lane] += ops - self.lost
        threads = blocks * lanes
        rows = [[100] * threads, [100 + 10 * ops] * threads, [7] * threads, [7 + 5 * ops] * threads, [0] * threads,
                self.operands(ops, lanes) * blocks]
        self.brought[planes] = b"".join(value.to_bytes(8, "little") for row in rows for value in row)

    def operands(self, ops, lanes):
        return [0] * lanes

    def wait(self):
        pass

    def read(self, address, size):
        data = self.brought.get(address) or bytes(self.cells[address])
        assert len(data) == size
        return bytearray(data)


OPTIONS = {"seed": 7, "precision": 0.01, "max_time_ns": 1e6, "min_sample_ns": 2e4, "trips": 0}


@pytest.mark.parametrize("blocks", [1, 4])
def test_a_visit_finds_the_cost_of_a_made_up_device(modules, blocks):
    table, visit = modules
    point = {"lanes": 64, "blocks": blocks, "stride": 1}
    found = visit.visit(MadeUpDevice(), table.Row(**CODE), point, OPTIONS, 1)
    assert (found["status"], found["rounds_kept"], found["sm_clock_ghz"]) == ("ok", 11, 2.0)
    (estimate,) = found["estimates"]
    assert estimate["cost_ns"] == pytest.approx({"value": 5, "low": 5, "high": 5})
    assert estimate["cost_cycles"]["value"] == pytest.approx(10)
    assert (estimate["baseline_ns"], estimate["test_ns"]) == pytest.approx((5, 10))


def places_of(modules, seed, number):
    """Where the cells of a visit were, in the order of the launches of its baseline and of its test loop."""
    table, visit = modules

    class Noted(MadeUpDevice):
        def launch(self, count, blocks, lanes, shared, arguments):
            super().launch(count, blocks, lanes, shared, arguments)
            noted[count].append(arguments[0].value)

    noted = [], []
    visit.visit(Noted(), table.Row(**CODE), {"lanes": 64, "stride": 1}, OPTIONS | {"seed": seed, "trips": 16}, number)
    return noted


def test_a_visit_has_the_same_places_in_every_campaign(modules):
    baseline, test = first = places_of(modules, 7, 1)
    assert baseline == test and len(set(baseline)) > 100, "both sides of a round are at the same places, each round at others"
    assert places_of(modules, 8, 1) == first
    assert not set(places_of(modules, 7, 2)[0]) & set(baseline[:16])


def test_an_update_that_is_lost_fails_the_visit(modules):
    table, visit = modules
    device = MadeUpDevice()
    device.lost = 1
    found = visit.visit(device, table.Row(**CODE), {"lanes": 64, "stride": 1}, OPTIONS, 1)
    assert found["status"] == "failed" and "updates were lost or doubled" in found["reason"]


@pytest.mark.parametrize(("point", "why"), [
    ({"lanes": 48}, "32, 64, 128, 256, 512, 1024 threads, not 48"),
    ({"lanes": 64, "blocks": 9}, "9 blocks of 64 threads are not co-resident: at most 8 are"),
    ({"lanes": 64, "active": 3}, "no points with active"),
    ({"lanes": 32, "op": "block"}, "sum_across_warps is of 64 threads or more, not 32")])
def test_what_it_cannot_measure_is_refused_in_words(modules, point, why):
    table, visit = modules
    row = table.Row("sum_across_warps", "int32") if "op" in point else table.Row(**CODE)
    found = visit.visit(MadeUpDevice(), row, {"stride": 1, **point}, OPTIONS, 1)
    assert found["status"] == "unsupported" and why in found["reason"]


def rows_of(values):
    return [values[first:first + 32] for first in range(0, len(values), 32)]


def in_a_row(rows):
    return [value for row in rows for value in row]


def once_more(op, values):
    """One collective, as its words say it."""
    rows = rows_of(values)
    if op == "reduce_add_sync":
        return in_a_row([sum(row)] * 32 for row in rows)
    if op == "reduce_max_sync":
        return in_a_row([max(row)] * 32 for row in rows)
    if op == "sum_across_warps":
        sums = [sum(column) for column in zip(*rows)]
        return in_a_row([value + total for value, total in zip(row, sums)] for row in rows)
    if op == "block_sum":
        return [value + sum(values) for value in values]
    if op == "block_scan":
        return list(itertools.accumulate(values))
    return [value + 1 for value in in_a_row(zip(*rows))]


@pytest.mark.parametrize("lanes", [64, 128])
@pytest.mark.parametrize("op", COLLECTIVES[1:])
def test_what_collectives_leave_is_known_without_them(modules, op, lanes):
    from syncmeter_triton.values import left
    values, tally = list(range(lanes)), [0] * lanes
    for ops in range(1, 41):
        values = [value % 2**32 for value in once_more(op, values)]
        tally = [(a + b) % 2**32 for a, b in zip(tally, values)]
        in_tally, expected = left(op, "int32", lanes, ops)
        assert expected == (tally if in_tally else values), ops


def test_floats_are_mirrored_at_their_mean(modules):
    from syncmeter_triton.values import left
    values = [float(n) for n in range(64)]
    for ops in range(1, 4):
        mean = sum(values) / 64
        values = [2 * mean - value for value in values]
        assert left("block_sum", "float", 64, ops) == (False, list(struct.unpack("64I", struct.pack("64f", *values))))


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_wrong_sum_in_one_thread_fails_the_visit(modules, wrong):
    table, visit = modules
    from syncmeter_triton.values import left

    class Sums(MadeUpDevice):
        def operands(self, ops, lanes):
            found = list(left("block_sum", "int32", lanes, ops // 4)[1])
            found[37] += wrong
            return found

    row = next(row for row in table.rows() if (row.op, row.type) == ("block_sum", "int32"))
    found = visit.visit(Sums(), row, {"lanes": 64, "blocks": 2}, OPTIONS, 1)
    assert found["status"] == ("failed" if wrong else "ok"), found
    assert not wrong or "oracle: thread 37 holds" in found["reason"]


@pytest.mark.parametrize("made", [0, 1, 2])
def test_a_sum_that_the_compiler_makes_twice_is_refused(modules, made):
    table, visit = modules
    sys.modules["syncmeter_triton.kernels"].made = made
    row = next(row for row in table.rows() if (row.op, row.type) == ("block_sum", "float"))
    found = visit.visit(MadeUpDevice(), row, {"lanes": 64}, OPTIONS, 1)
    if made == 1:
        assert found["status"] == "failed", "it was measured, and its values are of no sum"
    else:
        assert (found["status"], found["reason"].split(",")[0]) == (
            "unsupported", f"of 8 block_sum Triton made {8 * made} for 64 threads")


def test_the_interval_is_of_order_statistics(modules):
    _, visit = modules
    assert visit.interval(list(range(11))) == {"value": 5, "low": 1, "high": 9}


def test_every_kernel_is_what_it_declares(campaign, program):
    if not has_triton():
        pytest.skip(f"no Triton here: {PYTHON} has none")
    status, out, err = campaign.call("census", "--backend", "triton", within=250)
    if "nvdisasm not found" in out + err:
        pytest.skip("no nvdisasm of the CUDA Toolkit here")
    assert (status, err) == (0, "")
    assert out.rstrip().endswith("146 entries: 146 proven"), out[-3000:]
