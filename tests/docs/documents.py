"""The documents as these tests read them: prose, fenced blocks, and the commands in both.

A block ```console holds commands, each after `$ `. They are run (test_commands.py), unless a line of its own stands before
the block: `<!-- another machine: WHICH -->` or `<!-- not run: WHY -->`. Then the names of their options are checked.
What a command prints of a stored results file stands in a block ```text behind `<!-- printed by: COMMAND -->`.
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
STUDIES = REFERENCE / "studies"
#: The users' part of docs/.
USERS = ("index.md", "tutorials", "how-to", "reference", "explanation")
#: A part that scripts/reference writes.
GENERATED = re.compile(r"<!-- begin: (.+?) -->\n.*?<!-- end: \1 -->", re.S)
MARK = re.compile(r"<!-- (another machine|not run|printed by): (\S.*) -->")
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(?:scripts/[\w-]+|syncmeter(?:-report)?)(?: \S+)+")


@dataclasses.dataclass
class Block:
    """A fenced block: where it begins, its language, its lines, and the mark before it."""

    place: str
    language: str
    lines: list
    mark: str | None

    def commands(self):
        return [line[2:] for line in self.lines if line.startswith("$ ")]

    def printed_by(self):
        """The command that prints its lines; '' where none is named."""
        kind, _, command = (self.mark or "").removeprefix("<!-- ").removesuffix(" -->").partition(": ")
        return command if kind == "printed by" else ""


class Document:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        #: (number, text) of each line outside fenced blocks
        self.prose = []
        self.blocks = []
        self.lines = path.read_text(encoding="utf-8").splitlines()
        block, before = None, ""
        for number, line in enumerate(self.lines, start=1):
            if line.startswith("```"):
                if block is None:
                    marked = MARK.fullmatch(before)
                    block = Block(f"{self.name}:{number}", line[3:], [], marked and marked[0])
                else:
                    self.blocks.append(block)
                    block = None
            elif block is not None:
                block.lines.append(line)
            else:
                self.prose.append((number, line))
            before = line.strip() or before
        assert block is None, f"{self.name}: a fenced block is not closed"

    def spans(self):
        """Code inside the prose, with its line breaks as blanks. A `\\|` of a table is a `|`."""
        text = "\n".join(line for _, line in self.prose)
        return [" ".join(span.split()).replace("\\|", "|") for span in re.findall(r"`([^`]+)`", text)]


    def words(self):
        """Returns how many words were written by hand, without fenced blocks and generated parts."""
        text = re.sub(r"^```.*?^```", "", GENERATED.sub("", "\n".join(self.lines)), flags=re.S | re.M)
        return len(re.findall(r"\S*\w\S*", re.sub(r"<!--.*?-->", "", text)))


def user_pages():
    """Returns the paths of the users' part."""
    return [DOCS / name for name in USERS if name.endswith(".md")] + [path for name in USERS for path in sorted((DOCS / name).rglob("*.md"))]


def documents():
    """Returns all pages, README.md first."""
    paths = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [Document(path) for path in paths + sorted(DOCS.rglob("*.md"))]
