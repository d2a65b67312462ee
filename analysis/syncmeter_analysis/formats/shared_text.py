"""Which texts may be shared: patterns of what a value may be, and names that may occur nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from syncmeter_analysis.record.errors import Unusable

#: What stands for a text that may not be shared.
unnamed = "anonymous"

#: A text, and what is shared of it; None: nothing.
TextRule = Callable[[str], str | None]


def matching(pattern: str) -> TextRule:
    """The whole text or nothing."""
    allowed = re.compile(pattern)
    return lambda text: text if allowed.fullmatch(text) else None


word = matching(r"[A-Za-z][A-Za-z0-9_+-]{0,40}|")
hexadecimal = matching(r"[0-9a-f]{7,64}|imported|unknown|")
version = matching(r"v?[0-9]+(\.[0-9]+){0,2}([-+][a-z0-9]+)?|import|none|")
time = matching(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z|")
environment_value = matching(r"[A-Za-z]{1,20}|[0-9]+[kmgKMG]?|[0-9,:{} -]*")

_library = re.compile(r"(?:.*/)?(lib[a-z0-9+_-]+\.so(?:\.[0-9]+)*)")
_kernel = re.compile(r"Linux [0-9]{1,2}(\.[0-9]{1,3}){0,2}")
_number_of_one_device = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_uuid = re.compile(rf"(?<!\s)\s*\(?\b(?:GPU|MIG)-{_number_of_one_device}\b\)?", re.I)
_of_a_product = re.compile(
    r"[A-Za-z]+(\((R|TM|r|tm)\))*|[A-Za-z0-9]+([-+][A-Za-z0-9]+)*\+*|v?[0-9]+(\.[0-9]+){1,2}|"
    r"[0-9]+\.[0-9]+GHz|GNU/Linux|w/|@|-"
)
_of_flags = re.compile(
    r"sm_[0-9]+[a-z]?|-(O[0-9a-z]*|g[0-9]?|pthread|openmp|static|shared|pipe|rdc=true|x|cu)|"
    r"-[fmW][a-z0-9-]+(=[a-z0-9+-]+)?|-std=[a-z0-9+]+|-arch=[a-z0-9_]+|--generate-code=[a-z0-9_,=\[\]]+|"
    r"--?[a-z]+(-[a-z]+)+(=(true|false|[0-9]+))?|--param=[a-z-]+=[0-9]+|--param|[a-z]+(-[a-z]+)+=[0-9]+"
)
_of_code = re.compile(r"[a-z0-9_]{1,40}|[A-Z0-9]+(\.[A-Z0-9_]+)*|call:[A-Za-z_][A-Za-z0-9_:]*")
_of_a_sentence = re.compile(
    r"[A-Za-z]{1,20}('[a-z]{1,2})?|[A-Za-z]+(-[A-Za-z]+)+|u?int(32|64)|sm_[0-9]+|"
    r"[<>=-]*[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?(-byte|%|[a-zµ]{1,3}|[KMG]iB|[KMG]Hz|B)?|"
    r"[0-9]+(\.[0-9]+)?\.\.[0-9]+(\.[0-9]+)?|--[a-z]+(-[a-z]+)*|ns/op|ops/s|[<>=+%-]+|C\+\+|"
)
# What follows one of these names somebody, or something of this one run.
_before_a_name = re.compile(r"\b(p?pid|process(es)?|uid|user|login|account|address)\b", re.I)
_punctuation = "()[],.;:!?\"'"


def library(text: str) -> str | None:
    """The file's name without its folder, or a name with a version."""
    found = _library.fullmatch(text)
    return found[1] if found else product(text)


def kernel(text: str) -> str | None:
    """Name and version, without what its builder put behind."""
    found = _kernel.match(text)
    return found[0] if found else None


def product(text: str) -> str | None:
    """The name of a CPU, a GPU, a system or a compiler, without the number of the one device."""
    text = _uuid.sub("", text)
    tokens = text.replace("(R)", "").replace("(TM)", "").split()
    allowed = all(_of_a_product.fullmatch(t.strip("(),")) for t in tokens)
    return text if allowed and not _before_a_name.search(text) else unnamed


def flags(text: str) -> str:
    """The flags of a compiler that name no file and no macro."""
    return " ".join(t for t in text.split() if _of_flags.fullmatch(t))


def code(name: str) -> str | None:
    """The name of an instruction, or of a function that is called."""
    return name if _of_code.fullmatch(name) else None


class Sentences:
    """Rule for texts that people read: up to the clause in which something stands that is neither a
    word, nor a number, nor one of `own`, the names of this file's ops."""

    def __init__(self, own: set[str]) -> None:
        self._own = own

    def __call__(self, text: str) -> str:
        named = _before_a_name.search(text)
        end = named.start() if named else len(text)
        for token in re.finditer(r"\S+", text[:end]):
            bare = token[0].strip(_punctuation)
            if bare not in self._own and not _of_a_sentence.fullmatch(bare):
                end = token.start()
                break
        if end == len(text):
            return text
        clauses = re.match(r".*[,;:(](?=\s|$)", text[:end], re.S)
        return f"{clauses[0]} ..." if clauses else "..."


# Every pattern here takes time that grows as the text does: a run of letters is looked at from its
# beginning only.
# Where a user is named: in paths of several systems, in an address of mail, by a variable.
_users = re.compile(
    r"(?:/home/|[\\/]Users[\\/]+|~)([\w.-]+)|(?<![\w.-])([\w.-]+)@|"
    r'"(?:USER|LOGNAME|USERNAME)": ?"([\w.-]+)"'
)
_parts_of_many_hosts = {"anonymous", "local", "localdomain", "localhost", "internal", "lan", "com"}
_parts_of_many_hosts |= {"org", "net", "edu", "gov"}
# Words of results files, which a host may be called too.
# Each is looked for everywhere.
_most_names = 300
_our_words = {"omp", "std", "posix", "mpi", "kokkos", "cuda", "openmp", "linux", "gnu", "barrier"}
_our_words |= {"atomic", "fence", "critical", "warp", "group", "handoff", "launch", "memory"}
_our_words |= {"control", "reduction", "region", "worksharing", "tasking", "structure"}


def names_in(written: str, host: str) -> set[str]:
    """The host and the parts of its name, and the users that the file names anywhere."""
    found = {name for match in _users.findall(written) for name in match if name}
    found |= {host, *host.split(".")}
    found |= set(re.findall(_number_of_one_device, written, re.I))
    lower = {name.lower().strip(".") for name in found} - _parts_of_many_hosts - _our_words
    # Short names ("a", "vm") would be found inside of words.
    found = {name for name in lower if len(name) > 1}
    if len(found) > _most_names:
        raise Unusable(
            f"the file names {len(found)} hosts, users and devices; at most {_most_names}"
        )
    return found


def without_names(value: Any, names: set[str]) -> Any:
    """The value with `anonymous` for each of the names, in texts and in members' names."""
    if not names:
        return value
    parts = [rf"(?<![a-z0-9]){re.escape(n)}(?![a-z0-9])" for n in sorted(names, key=len)[::-1]]
    pattern = re.compile("|".join(parts), re.I)

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(unnamed, value)
        if isinstance(value, list):
            return [walk(v) for v in value]
        if isinstance(value, dict):
            return {walk(k): walk(v) for k, v in value.items()}
        return value

    return walk(value)
