"""Which of the stored files, or of other things alike, CI tests for every commit."""

import pytest


def some_in_ci(paths, always=None):
    """Returns a parameter for each path; CI runs every fourth one and the one named, .ci/run --whole all."""
    return [
        pytest.param(
            path, marks=() if number % 4 == 0 or path == always else pytest.mark.whole
        )
        for number, path in enumerate(paths)
    ]
