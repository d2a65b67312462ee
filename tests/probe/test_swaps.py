"""The locks and barriers that `syncmeter advise --try` puts in place of POSIX' own keep what POSIX promises."""

import os
import re
import struct
import subprocess

import pytest
import tables

SWAPS = tables.PROBE.with_name("libsyncmeter-swaps.so")
NAMES = re.search(r'swap_names\[\] = \{"", (.*)\}', (tables.ROOT / "probe/swaps.hpp").read_text(encoding="utf-8"))[1]
CASES = ("counts", "tries", "left_alone", "conditions", "cancelled", "forked", "daemon", "freed", "handed_over", "barriers", "exec")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("swap", ["none", *re.findall(r'"(\w+)"', NAMES)])
def test_a_swap_keeps_what_posix_promises(build, case, swap):
    done = subprocess.run([build("swaps"), case, swap], env=os.environ | {"LD_PRELOAD": str(SWAPS), "SYNCMETER_SWAP": swap},
                          capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "as promised\n"), done.stderr


@pytest.mark.parametrize(("case", "swap", "most_are"), [
    ("counts", "ttas", "swapped"), ("counts", "adaptive", "swapped"), ("daemon", "mcs", "swapped"), ("barriers", "barrier", "swapped"),
    ("left_alone", "ticket", "left"), ("counts", "none", "left"), ("counts", "barrier", "none"),
])
def test_calls_are_counted_by_what_they_came_to(build, tmp_path, case, swap, most_are):
    counts = tmp_path / "counts"
    counts.write_bytes(bytes(16))
    subprocess.run([build("swaps"), case, swap], check=True, capture_output=True, timeout=60,
                   env=os.environ | {"LD_PRELOAD": str(SWAPS), "SYNCMETER_SWAP": swap, "SYNCMETER_SWAP_COUNTS": str(counts)})
    swapped, left = struct.unpack("QQ", counts.read_bytes())
    assert most_are == ("swapped" if swapped > left else "left" if left > swapped else "none"), (swapped, left)


@pytest.mark.parametrize(("started_by", "refused"), [("", False), ("env -i ", True)])
def test_a_program_that_is_started_without_the_library_is_refused(build, started_by, refused):
    program = build("../../examples/hazards/contended_counter", "g++", "-O2", "-fopenmp")
    done = subprocess.run([SWAPS.with_name("syncmeter"), "ab", "--command", f"{started_by}{program}", "--budget", "1ms",
                           "--env-b", f"LD_PRELOAD={SWAPS}", "--env-b", "SYNCMETER_SWAP=adaptive"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert ("the change was not in effect: " in " ".join(done.stdout.split())) == refused, done.stdout
