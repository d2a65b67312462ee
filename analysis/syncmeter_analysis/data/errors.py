"""What a user did or gave that cannot be used, told in one sentence."""

from __future__ import annotations


class Unusable(Exception):
    """A file, an option or a comparison that cannot be used.

    `str()` of it is one sentence for the user: what is wrong, where, and what would be right. The
    command prints it and ends with status 2; it is never shown as a traceback.
    """


def quoted(text: object, longest: int = 60) -> str:
    """`text` in quotes on one line, cut to `longest` characters: foreign text is never trusted."""
    line = "".join(c if c.isprintable() else "?" for c in str(text))
    return f"'{line}'" if len(line) <= longest else f"'{line[:longest]}...'"
