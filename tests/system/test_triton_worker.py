"""The worker of Triton: what it says without a GPU and without Triton, how it measures a made-up device, and the machine
code of its kernels where Triton is (for another Python than this one: SYNCMETER_TRITON_PYTHON)."""

import json
import os
import pathlib
import subprocess
import sys
import types
import zipapp

import pytest

from conftest import driver_path

SOURCE = pathlib.Path(__file__).parents[2] / "backends/triton"
PYTHON = os.environ.get("SYNCMETER_TRITON_PYTHON", sys.executable)
CODE = {"op": "atomic_add", "type": "int32", "order": "relaxed", "scope": "device", "placement": "strided", "oracle": "adds"}


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
    assert (status, err) == (0, "") and "of triton in 138 entries" in out, out


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
    assert first.pop("plain_read") == ("unordered", None)
    assert set(first.values()) == {("acq_rel", "device")}


@pytest.fixture
def modules(monkeypatch):
    """table and visit, with a compiler whose kernel is the number of measured ops."""
    monkeypatch.syspath_prepend(SOURCE)
    kernels = types.ModuleType("syncmeter_triton.kernels")
    kernels.compiled = lambda row, lanes, count, capability: types.SimpleNamespace(
        asm={"cubin": count}, metadata=types.SimpleNamespace(name="kernel", shared=0))
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
        rows = [[100] * threads, [100 + 10 * ops] * threads, [7] * threads, [7 + 5 * ops] * threads, [0] * threads]
        self.brought[planes] = b"".join(value.to_bytes(8, "little") for row in rows for value in row)

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
    found = visit.visit(MadeUpDevice(), table.Row(**CODE), point, OPTIONS)
    assert (found["status"], found["rounds_kept"], found["sm_clock_ghz"]) == ("ok", 11, 2.0)
    (estimate,) = found["estimates"]
    assert estimate["cost_ns"] == pytest.approx({"value": 5, "low": 5, "high": 5})
    assert estimate["cost_cycles"]["value"] == pytest.approx(10)
    assert (estimate["baseline_ns"], estimate["test_ns"]) == pytest.approx((5, 10))


def test_an_update_that_is_lost_fails_the_visit(modules):
    table, visit = modules
    device = MadeUpDevice()
    device.lost = 1
    found = visit.visit(device, table.Row(**CODE), {"lanes": 64, "stride": 1}, OPTIONS)
    assert found["status"] == "failed" and "updates were lost or doubled" in found["reason"]


@pytest.mark.parametrize(("point", "why"), [
    ({"lanes": 48}, "32, 64, 128, 256, 512, 1024 threads, not 48"),
    ({"lanes": 64, "blocks": 9}, "9 blocks of 64 threads are not co-resident: at most 8 are"),
    ({"lanes": 64, "active": 3}, "no points with active")])
def test_what_it_cannot_measure_is_refused_in_words(modules, point, why):
    table, visit = modules
    found = visit.visit(MadeUpDevice(), table.Row(**CODE), {"stride": 1, **point}, OPTIONS)
    assert found["status"] == "unsupported" and why in found["reason"]


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
    assert out.rstrip().endswith("138 entries: 138 proven"), out[-3000:]
