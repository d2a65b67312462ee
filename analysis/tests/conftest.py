"""Tests of the analysis: with nothing but results files made up in tests/made.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
