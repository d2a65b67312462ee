"""What a user did or gave that cannot be used, in one sentence."""

from __future__ import annotations


class Unusable(Exception):
    """A file, an option or a comparison that cannot be used.

    `str()` of it is one sentence for the user: what is wrong, where, and what would be right. The
    command prints it and ends with status 2; it is never shown as a traceback.
    """


class BadLine(ValueError):
    """A line of a file that cannot be used: `str()` says why."""


class NotWritten(Exception):
    """An output that could not be written, whatever the input: one sentence, and status 1."""


def printable(text: str) -> str:
    """`text` with what a terminal would obey, or what would turn the text around, spelt out: ESC, line
    ends, NUL, marks of direction, halves of surrogate pairs."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(text: str) -> str:
    """A message without what is longer than anybody reads: the words of arguments and files in it, and
    all of it, are cut."""
    longest_word, longest_text = 400, 8000
    words = (
        w if len(w) <= longest_word else f"{w[:longest_word]}...({len(w)} characters)"
        for w in text[: 100 * longest_text].split(" ")
    )
    cut = " ".join(words)
    return cut if len(cut) <= longest_text else cut[:longest_text] + " ..."


def quoted(text: object) -> str:
    """`text` in quotes on one line, cut to 60 characters: foreign text is never trusted."""
    longest = 60
    line = printable(str(text)[: longest + 1])
    return f"'{line}'" if len(line) <= longest else f"'{line[:longest]}...'"
