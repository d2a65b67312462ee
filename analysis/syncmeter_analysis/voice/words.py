"""Reads the tables of words and sentences, and fills them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from syncmeter_analysis.conclude.conclusion import Subject

_folder = Path(__file__).parent

#: Marks a possible line break in a column heading.
soft_break = "\u200b"


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_folder / f"{name}.toml").read_text(encoding="utf-8"))


def internal_words() -> dict[str, str]:
    """Returns the field's word for each internal word."""
    return dict(_table("terms")["words"])


def say(template: str, **values: object) -> str:
    """Fills the template with this dotted name (`locks.legend.marked`)."""
    found: Any = _table("templates")
    for part in template.split("."):
        found = found[part]
    return str(found).format(**values)


def has(template: str) -> bool:
    """Returns whether the template exists."""
    room, _, name = template.rpartition(".")
    found: Any = _table("templates")
    for part in room.split("."):
        found = found.get(part, {})
    return name in found


def _name(subject: Subject) -> str:
    terms = _table("terms")
    names = terms["names"].get(terms["same_names"].get(subject.backend, subject.backend), {})
    return str(names.get(subject.op, f"{subject.backend} |{subject.op}"))


def name_of(subject: Subject) -> str:
    """`std::mutex`, `omp critical`, `atomic add`: the name in sentences."""
    return _name(subject).replace("|", "")


def with_article(subject: Subject) -> str:
    """`an atomic add`, `std::mutex`."""
    name = name_of(subject)
    return f"{_table('terms')['articles'].get(name, '')} {name}".strip()


def heading_of(subject: Subject) -> str:
    """The same for the heading of a column, which may break."""
    return _name(subject).replace("|", soft_break).replace(f" {soft_break}", " ")


def explanation_of(subject: Subject) -> str:
    """Returns `CLH lock: a queue lock.`, or '' for a name that readers know."""
    name = name_of(subject)
    text = _table("terms")["explained"].get(name, "")
    return say("locks.legend.name", name=name, text=text) if text else ""


def library_of(subject: Subject) -> str:
    """Returns `libgomp`, `libomp`, or '' for an API with one library."""
    return str(_table("terms")["libraries"].get(subject.backend, ""))


def counted(template: str, count: int) -> str:
    """Fills a template that has a second form, `..._one`, for one."""
    return say(f"{template}_one" if count == 1 else template, count=f"{count:,}")


def lock_kind(kind: str, functions: Iterable[str]) -> str:
    """Returns the type of a lock, by the acquiring functions or by the kind in the file."""
    names = _table("terms")["lock_functions"]
    for function in functions:
        for prefix, name in names.items():
            if function.startswith(prefix):
                return str(name)
    return str(_table("terms")["lock_kinds"].get(kind, kind))


def cause_title(rule: str) -> str:
    return str(_table("terms")["cause_titles"].get(rule, rule.replace("_", " ")))


def cut(text: str, longest: int) -> str:
    """Returns the text without its middle if it is too long."""
    half = (longest - 3) // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"
