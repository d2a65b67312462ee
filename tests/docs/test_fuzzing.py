"""scripts/fuzz fails where libFuzzer knows nothing of what an input reaches."""

import importlib.machinery
import importlib.util

import pytest
from documents import ROOT


@pytest.fixture
def script():
    loader = importlib.machinery.SourceFileLoader("fuzz_script", str(ROOT / "scripts/fuzz"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_script", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(("printed", "failures"), [
    ("INFO: Loaded 1 modules   (60000 inline 8-bit counters): 60000 [0x1, 0x2),", 0),
    ("INFO: Loaded 1 modules   (123 inline 8-bit counters): 123 [0x1, 0x2),", 1),
    ("INFO: seed corpus", 1),
])
def test_readers_whose_blocks_are_not_counted_are_no_success(printed, failures, script, tmp_path, capsys):
    program = tmp_path / "asan/bin/fuzzer"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{printed}'\necho 'stat::number_of_executed_units: 5'\n", encoding="utf-8")
    program.chmod(0o755)
    assert script.fuzz(program, "sass", 1, 1) == failures
    assert ("blocks of the readers are counted" in capsys.readouterr().out) == bool(failures)
