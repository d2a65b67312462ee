"""The worker of examples/rust: it has no fault, and is measured beside `std` with nothing of ours in it."""

import pathlib
import shutil
import subprocess
import time

import pytest

from conftest import driver_path

#: A visit of 4 ms is noisy while another tenant of the machine has the PU.
PATIENCE_S = 60
SOURCE = pathlib.Path(__file__).parents[2] / "examples/rust/src/main.rs"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    rustc = shutil.which("rustc") or shutil.which("/usr/bin/rustc")
    if rustc is None:
        pytest.skip("no rustc here")
    made = tmp_path_factory.mktemp("rust") / "syncmeter-rust"
    done = subprocess.run([rustc, "-O", "--edition", "2021", "-D", "warnings", SOURCE, "-o", made], capture_output=True,
                          encoding="utf-8", timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return made


def test_it_has_no_fault(campaign, program):
    status, out, err = campaign.call("check-worker", str(program), "--all")
    assert (status, err) == (0, "") and "measure: 14 points answered" in out, out


def test_parking_lot_is_measured_where_the_distribution_has_it_and_told_of_where_not(campaign, program, tmp_path):
    campaign.bin.joinpath("syncmeter-rust").symlink_to(program)
    _, out, _ = campaign.call("list", "--backend", "rust", "--wide")
    assert "built without parking_lot" in out
    cargo, crates = shutil.which("cargo"), pathlib.Path("/usr/share/cargo/registry")
    if cargo is None or not list(crates.glob("parking_lot-*")):
        pytest.skip("no cargo here, or no librust-parking-lot-dev")
    shutil.copytree(SOURCE.parents[1], tmp_path / "rust")
    done = subprocess.run([cargo, "build", "--release", "--offline", "--features", "parking_lot", "--config",
                           'source.crates-io.replace-with="debian"', "--config", f'source.debian.directory="{crates}"'],
                          cwd=tmp_path / "rust", capture_output=True, encoding="utf-8", timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    status, out, _ = campaign.call("check-worker", str(tmp_path / "rust/target/release/syncmeter-rust"), "--all")
    assert status == 0 and "measure: 15 points answered" in out, out


def test_it_stands_beside_std(campaign, program):
    if not (driver_path().parent / "syncmeter-std").exists():
        pytest.skip("no syncmeter-std was built here")
    shutil.copy(program, campaign.bin)
    ops = ("atomic_add", "lock_add")
    deadline = time.monotonic() + PATIENCE_S
    while True:
        status, out, err = campaign.call(
            "run", "--backend", "std,rust", "--op", ",".join(ops), "--type", "int32", "--placement", "shared", "--order",
            "relaxed", "--lanes", "1", "--visits", "1", "--max-time", "4ms", "--output", str(campaign.file))
        assert status == 0, err
        assert "== rust" in out and "== std" in out
        visits = {(v["point"]["backend"], v["point"]["op"]): v for v in campaign.visits()}
        assert set(visits) == {(b, op) for b in ("std", "rust") for op in ops}
        assert all(visits["rust", op]["family"] == visits["std", op]["family"] for op in ops)
        statuses = {visits["rust", op]["status"] for op in ops}
        if statuses == {"ok"} or time.monotonic() > deadline:
            break
        campaign.file.unlink()
    assert statuses == {"ok"}


def test_it_notices_a_lost_update(campaign, program, tmp_path):
    """With an add that forgets one of its updates the visit fails, and check-worker says so."""
    shutil.copytree(SOURCE.parent, tmp_path / "src")
    ops = tmp_path / "src/ops.rs"
    text = ops.read_text(encoding="utf-8")
    assert "*objects.mutex.lock().unwrap() += 1)" in text
    ops.write_text(text.replace("*objects.mutex.lock().unwrap() += 1)", "*objects.mutex.lock().unwrap() |= 1)"), encoding="utf-8")
    rustc = shutil.which("rustc") or "/usr/bin/rustc"
    subprocess.run([rustc, "--edition", "2021", tmp_path / "src/main.rs", "-o", campaign.bin / "syncmeter-rust"],
                   check=True, capture_output=True, timeout=120)
    status, out, _ = campaign.call("check-worker", "rust")
    assert status == 1 and "measure lock_add: it is declared as supported, and its status is \"failed\"" in out
    assert out.count("FAULT") == 1 and "updates were lost" in out
