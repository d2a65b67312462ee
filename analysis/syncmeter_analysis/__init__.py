"""Reads syncmeter's results files (docs/reference/results-file.md) and says what they mean.

Nothing here measures and nothing reads anything but results files; the command is
`syncmeter-report` (command.py).
"""

__version__ = "1.0.0-rc1"
