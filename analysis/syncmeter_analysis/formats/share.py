"""One anonymised results file that people can attach to an issue or a paper: no host, user or paths.

The machine stays: without it figures mean nothing. Names are replaced wherever they occur, in any
member and in any text.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from syncmeter_analysis.data.errors import Unusable
from syncmeter_analysis.data.reader import read_results
from syncmeter_analysis.data.text_file import text_of, write_text

# Members whose values are left out, at any depth: where files lie and who ran it.
_left_out = {"pid", "uuid", "serial", "user", "cwd", "home_directory"}
# Variables of the environment that say how a runtime works.
_kept_variables = ("OMP_", "KOKKOS_", "GOMP_", "KMP_")
# Behind a letter, as in -I/usr/include, two parts make a path: GNU/Linux is none.
_path = re.compile(r"(?<![\w.])~?(?:/[\w.+@~-]+)+/?|(?<=\w)(?:/[\w.+@~-]+){2,}/?")
# A GPU's name has its UUID behind it, which is of this one device.
_uuid = re.compile(r"\s*\(?\b(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b\)?")
_home = re.compile(r"/(?:home|Users)/([\w.-]+)")


def _words(text: bytes, campaign: dict[str, Any]) -> list[str]:
    """What may not occur: the host's name and its parts, and users named in paths."""
    machine = campaign.get("machine")
    host = str(machine.get("host") or "") if isinstance(machine, dict) else ""
    found = {host, host.split(".")[0]}
    found |= set(_home.findall(text.decode(errors="replace")))
    # Short names ("a", "vm") would be found inside of words.
    return sorted((word for word in found if len(word) > 1), key=len, reverse=True)


def _file_name(match: re.Match[str]) -> str:
    name = match.group(0).rstrip("/").rsplit("/", 1)[-1]
    return f".../{name}"


class Anonymiser:
    """Replaces names and paths in values of JSON, keys and all."""

    def __init__(self, words: list[str]) -> None:
        parts = [rf"(?<![A-Za-z0-9]){re.escape(w)}(?![A-Za-z0-9])" for w in words]
        self._names = re.compile("|".join(parts), re.IGNORECASE) if parts else None

    def text(self, text: str) -> str:
        """The text with paths cut to the last part and names as `anonymous`."""
        text = _path.sub(_file_name, _uuid.sub("", text))
        return self._names.sub("anonymous", text) if self._names else text

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(v) for v in value]
        if isinstance(value, dict):
            return {
                self.text(k): "anonymous" if k == "host" and isinstance(v, str) else self.value(v)
                for k, v in value.items()
                if k not in _left_out
            }
        return value


def share(source: Path, output: Path) -> int:
    """Writes `output`, a results file like `source` without names; the number of its lines.

    Raises Unusable as the reader does, where `output` cannot be written, or would be `source`.
    """
    file = read_results(source)
    if output.exists() and output.samefile(source):
        raise Unusable(f"-o {output} is the input file itself; give another")
    whole = text_of(source)
    anonymiser = Anonymiser(_words(whole, file.campaign))
    lines = []
    for text in whole.split(b"\n"):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(line, dict):
            continue
        key = line.get("key")
        line = anonymiser.value(line)
        if isinstance(key, str):
            line["key"] = key
        if line.get("kind") == "campaign":
            line["shared"] = True
        if line.get("kind") == "worker":
            environment = line.get("environment")
            kept = environment.items() if isinstance(environment, dict) else ()
            line["environment"] = {k: v for k, v in kept if k.startswith(_kept_variables)}
        lines.append(json.dumps(line, separators=(",", ":"), sort_keys=True))
    try:
        write_text(output, "\n".join(lines) + "\n")
    except OSError as error:
        raise Unusable(f"{output}: {error.strerror or 'cannot be written'}") from error
    return len(lines)
