"""Reads the tables of words and sentences, and fills them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from syncmeter_analysis.conclude.conclusion import Subject

_folder = Path(__file__).parent / "templates"

#: Marks a possible line break in a column heading.
soft_break = "\u200b"

#: Marks a space without a line break.
no_break = "\u00a0"


@cache
def templates() -> dict[str, Any]:
    """Returns the words and sentences: the tables of all files of templates/."""
    found: dict[str, Any] = {}
    for path in sorted(_folder.glob("*.toml")):
        _merge(found, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    return found


def _merge(whole: dict[str, Any], part: dict[str, Any], file: str) -> None:
    """Adds the tables of one file. Raises ValueError for a value that another file has, too."""
    for name, value in part.items():
        if isinstance(value, dict):
            _merge(whole.setdefault(name, {}), value, file)
        elif name in whole:
            raise ValueError(f"{file}: repeats {name}")
        else:
            whole[name] = value


def say(template: str, **values: object) -> str:
    """Fills the template with this dotted name (`locks.legend.marked`)."""
    found: Any = templates()
    for part in template.split("."):
        found = found[part]
    return str(found).format(**values)


def has(template: str) -> bool:
    """Returns whether the template exists."""
    room, _, name = template.rpartition(".")
    found: Any = templates()
    for part in room.split("."):
        found = found.get(part, {})
    return name in found


def _article_and_name(subject: Subject) -> tuple[str, str]:
    names = templates()["names"]
    backend = templates()["same_names"].get(subject.backend, subject.backend)
    tables = names.get(backend, {}), names[""]
    variants = [f"{subject.op}@{subject.variant}", f"@{subject.variant}", f"{subject.op}@*"]
    for key in (*(variants if subject.variant else []), subject.op):
        for table in tables:
            if key in table:
                article, _, name = str(table[key]).rpartition(": ")
                library = library_of(subject)
                return article, name.format(variant=subject.variant, library=library)
    return "", f"{subject.backend} |{subject.op}"


def name_of(subject: Subject) -> str:
    """`std::mutex`, `omp critical`, `atomic add`: the name in sentences."""
    return _article_and_name(subject)[1].replace("|", "")


def with_article(subject: Subject) -> str:
    """`an atomic add`, `std::mutex`."""
    return f"{_article_and_name(subject)[0]} {name_of(subject)}".strip()


def heading_of(subject: Subject) -> str:
    """The same for the heading of a column, which may break."""
    _, name = _article_and_name(subject)
    return name.replace("|", soft_break).replace(f" {soft_break}", " ")


def explanation_of(subject: Subject) -> str:
    """Returns `CLH lock: a queue lock.`, or '' for a name that readers know."""
    name, texts = name_of(subject), templates()["explained"]
    return text_of_name(name, texts[name]) if name in texts else ""


def text_of_name(name: str, text: str) -> str:
    """Returns `CLH lock: a queue lock.`"""
    return say("common.legend.name", name=name, text=text)


def library_of(subject: Subject) -> str:
    """Returns `libgomp`, `libomp`, or '' for an API with one library."""
    return str(templates()["libraries"].get(subject.backend, ""))


def counted(template: str, count: int, **values: object) -> str:
    """Fills a template that has a second form, `..._one`, for one."""
    return say(f"{template}_one" if count == 1 else template, count=f"{count:,}", **values)


def listed(names: Sequence[str]) -> str:
    """Returns `A, B and C`."""
    first, last = ", ".join(names[:-1]), "".join(names[-1:])
    return say("common.list", first=first, last=last) if first else last


def lock_kind(kind: str, functions: Iterable[str]) -> str:
    """Returns a lock's type, by the acquiring functions or the kind in the file."""
    names = templates()["lock_functions"]
    for function in functions:
        for prefix, name in names.items():
            if function.startswith(prefix):
                return str(name)
    return str(templates()["lock_kinds"].get(kind, kind))


def cause_title(rule: str) -> str:
    return str(templates()["cause_titles"].get(rule, rule.replace("_", " ")))


def cut(text: str, longest: int) -> str:
    """Returns a long text without its middle."""
    half = (longest - 3) // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"
