"""What a command found as JUnit's XML, which servers of CI show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree


@dataclass(frozen=True)
class Case:
    """One thing that was judged: `result` is "failure", "skipped" (nothing can be said of it) or ''."""

    group: str
    name: str
    result: str
    says: str


def as_junit(command: str, suites: Iterable[tuple[str, Sequence[Case]]]) -> str:
    """A suite of cases for each name."""
    root = ElementTree.Element("testsuites", name=f"syncmeter {command}")
    for name, cases in suites:
        counted = Counter(case.result for case in cases)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=name,
            tests=str(len(cases)),
            failures=str(counted["failure"]),
            skipped=str(counted["skipped"]),
        )
        for case in cases:
            of = {"classname": case.group, "name": case.name}
            element = ElementTree.SubElement(suite, "testcase", of)
            if case.result:
                ElementTree.SubElement(element, case.result, message=case.says)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
