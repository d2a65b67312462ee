"""The locks and barriers that `syncmeter advise --try` puts in place of POSIX' own keep what POSIX promises."""

import os
import re
import subprocess

import pytest
import tables

SWAPS = tables.PROBE.with_name("libsyncmeter-swaps.so")
NAMES = re.search(r'swap_names\[\] = \{"", (.*)\}', (tables.ROOT / "probe/swaps.hpp").read_text(encoding="utf-8"))[1]
CASES = ("counts", "tries", "left_alone", "conditions", "cancelled", "forked", "freed", "handed_over", "barriers", "exec")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("swap", ["none", *re.findall(r'"(\w+)"', NAMES)])
def test_a_swap_keeps_what_posix_promises(build, case, swap):
    done = subprocess.run([build("swaps"), case, swap], env=os.environ | {"LD_PRELOAD": str(SWAPS), "SYNCMETER_SWAP": swap},
                          capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "as promised\n"), done.stderr
