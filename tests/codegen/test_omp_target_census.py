"""What g++ makes of OpenMP's constructs for a GPU, against what each op declares: its PTX, compiled by ptxas.

It needs ptxas and nvdisasm, and no GPU.
"""

import json
import os
import pathlib
import subprocess

import pytest

DRIVER = pathlib.Path(os.environ["SYNCMETER_BIN"]) / "syncmeter"


def test_every_entry_is_what_it_declares():
    done = subprocess.run([DRIVER.parent / "syncmeter-omp-target", "--capabilities"], capture_output=True, encoding="utf-8",
                          check=True)
    compiler = json.loads(done.stdout)["build"]["compiler"]
    if not compiler.startswith("GNU 12."):
        pytest.skip(f"syncmeter-omp-target was built by {compiler}: only what g++ 12 makes is declared")
    done = subprocess.run([DRIVER, "census", "--backend", "omp-target"], capture_output=True, encoding="utf-8", timeout=250,
                          check=False)
    printed = done.stdout + done.stderr
    for tool in ("ptxas", "nvdisasm"):
        if f"{tool} not found" in printed:
            pytest.skip(f"no {tool} of the CUDA Toolkit here")
    assert done.returncode == 0, printed
    assert printed.rstrip().endswith("51 entries: 51 proven"), printed[-3000:]
