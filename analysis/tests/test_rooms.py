"""The rooms of the package: a module imports its own room or one before it, never one behind."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "syncmeter_analysis"
ROOMS = ("record", "relate", "conclude", "voice", "studies", "claims", "render", "formats")


def _imported(path: Path) -> set[str]:
    """Rooms that a module imports, wherever in it the import stands."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    parts = [name.split(".") for name in names]
    return {p[1] for p in parts if p[0] == "syncmeter_analysis" and len(p) > 1}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_nothing_behind_it(room):
    allowed = {*ROOMS[: ROOMS.index(room) + 1], "__version__"}
    for path in sorted((PACKAGE / room).rglob("*.py")):
        assert _imported(path) <= allowed, path


def test_every_module_has_a_room():
    assert {p.name for p in PACKAGE.glob("*.py")} == {
        "__init__.py",
        "command.py",
        "options.py",
    }
    rooms = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert rooms == set(ROOMS)


#: Modules that render or export may need more than Python; everything before them may not.
@pytest.mark.parametrize("room", ROOMS[: ROOMS.index("render")])
def test_what_stands_before_rendering_needs_python_only(room):
    for path in sorted((PACKAGE / room).rglob("*.py")):
        text = path.read_text()
        assert not any(name in text for name in ("import vl_convert", "import jinja2"))


def _texts(path: Path) -> list[str]:
    """The string constants of a module that are no docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return [node.value for node in found if id(node) not in docs]


def test_conclusions_are_made_of_names_and_numbers():
    """The room conclude/ has names without spaces, because only voice/ builds text."""
    for path in sorted((PACKAGE / "conclude").rglob("*.py")):
        assert [text for text in _texts(path) if " " in text.strip()] == [], path


def test_the_code_of_the_voice_has_no_sentences():
    """Sentences belong into the TOML tables."""
    for path in sorted((PACKAGE / "voice").rglob("*.py")):
        assert [text for text in _texts(path) if len(text.split()) > 2] == [], path


def test_conclusions_are_put_into_words_by_the_voice_alone():
    """Claims conclude, too, and the frame of the studies passes conclusions on."""
    readers = set()
    for path in PACKAGE.rglob("*.py"):
        if "syncmeter_analysis.conclude.conclusion" in path.read_text():
            readers.add(path.relative_to(PACKAGE).parts)
    others = {parts for parts in readers if parts[0] not in ("conclude", "voice", "claims")}
    assert others == {("studies", "__init__.py")}
