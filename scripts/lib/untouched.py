"""untouched.py PART SINCE: status 0 where PART of .ci/run cannot have been touched by what changed since the commit SINCE.

It says so of a change whose every file is on the part's list of what it never reads, and is still there. Status 1, the
part is run, in every other case: no SINCE, one that is not of this history, a file that is on no list. tests/docs holds
the lists to what the compilers read.
"""

import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A star stands for "/" too.
UNREAD = {
    "fuzzing": (".github/*", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "analysis/*", "docs/*",
                            "examples/*", "mkdocs.yml", "packaging/*", "tests/docs/*.py", "tests/golden/*.py",
                            "tests/golden/expected/*", "tests/system/*.py"),
    "documentation": (".github/*", "analysis/tests/*", "backends/*", "core/*", "driver/*", "packaging/*", "tests/*/*"),
    "a bare Debian sid root": (".github/*", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "analysis/tests/*",
                               "docs/images/*", "docs/measurements/*", "docs/studies/*", "mkdocs.yml", "tests/docs/*.py",
                               "tests/fuzz/*.cpp", "tests/fuzz/corpus/*", "tests/mutants/*", "tests/system/*.py",
                               "tests/unit/*.cpp"),
}


def is_unread(part, file):
    return any(fnmatchcase(file, pattern) for pattern in UNREAD.get(part, ()))


def changed(since):
    """(status letter, file) of what differs between that commit and the work tree; none where it is no ancestor."""
    def git(*words):
        return subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    if not since or git("merge-base", "--is-ancestor", since, "HEAD").returncode != 0:
        return None
    listed = git("diff", "--no-renames", "--name-status", "-z", since, "--")
    untracked = git("ls-files", "-z", "--others", "--exclude-standard")
    if listed.returncode != 0 or untracked.returncode != 0:
        return None
    words = listed.stdout.split("\0")[:-1]
    return [*zip(words[::2], words[1::2]), *(("A", file) for file in untracked.stdout.split("\0")[:-1])]


def cannot_be_touched(part, changes):
    return changes is not None and all(letter != "D" and is_unread(part, file) for letter, file in changes)


if __name__ == "__main__":
    sys.exit(0 if cannot_be_touched(sys.argv[1], changed(sys.argv[2])) else 1)
