"""Chooses the stored files that CI tests for every commit. `.ci/run --whole` tests all."""

import pytest


def some_in_ci(paths, always=None):
    """Returns a parameter for each path. CI runs every fourth path and `always`."""
    return [
        pytest.param(path, marks=() if number % 4 == 0 or path == always else pytest.mark.whole)
        for number, path in enumerate(paths)
    ]
