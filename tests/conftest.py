"""For every kind of test that pytest runs. The folder of each kind has a conftest.py of its own beside this one."""

from skips import *  # noqa: F403
