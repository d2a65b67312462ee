"""Tests of the analysis: with nothing but results files made up in tests/made.py."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).parents[2] / "tests"))

from skips import *  # noqa: F403

# How long an example takes depends on what else the machine does.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
