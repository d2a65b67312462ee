"""Checks pages: links, a page for each study, words of tables, size, navigation, one version."""

import re
import shlex
import subprocess

import pytest
from documents import DOCS, REFERENCE, ROOT, STUDIES, Document, documents, user_pages

DOCUMENTS = documents()
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(path):
    """The anchors of a page, as GitHub and the site make them of its headings."""
    headings = [line.lstrip("#").strip() for _, line in Document(path).prose if re.match(r"#+ ", line)]
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", h).replace("`", "").lower() for h in headings]
    return {re.sub(r"[^\w\- ]", "", h).replace(" ", "-") for h in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_to_files_and_anchors(document):
    for number, line in document.prose:
        for address in LINK.findall(line):
            if re.match(r"https?:", address):
                continue
            name, _, anchor = address.partition("#")
            target = (document.path.parent / name).resolve() if name else document.path
            assert target.exists(), f"{document.name}:{number}: {address}: no such file"
            if anchor:
                assert anchor in anchors(target), f"{document.name}:{number}: {address}: no such heading"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_the_site_sees_lists_and_tables(document):
    """GitHub begins a list or a table right behind a paragraph or a block; the site wants an empty line there."""
    for number, line in document.prose:
        begins, before = re.match(r"- |\d+\. |\|", line), document.lines[number - 2] if number > 1 else ""
        goes_on = not before.strip() or re.match(r"\s*(- |\d+\. )|  |#+ |\|", before)
        assert not begins or goes_on, f"{document.name}:{number}: an empty line has to stand before a list or a table"


def test_every_study_has_a_page_and_every_page_a_study(programs):
    pages = {path.stem for path in STUDIES.glob("*.md")} - {"index"}
    assert pages == set(programs.studies())


@pytest.mark.parametrize("list_of_studies", ["docs/reference/studies/index.md", "docs/reference/commands.md", "mkdocs.yml"])
def test_every_study_is_listed(programs, list_of_studies):
    text = (ROOT / list_of_studies).read_text(encoding="utf-8")
    for name in programs.studies():
        assert re.search(rf"\b{name}\.md\b", text), f"{list_of_studies}: {name} is missing"


def test_a_page_of_a_study_has_its_command(programs):
    for name in programs.studies():
        page = Document(STUDIES / f"{name}.md")
        shown = [command for block in page.blocks for command in block.commands()]
        assert any(f"--study {name}" in c or name == "quick" for c in shown), f"{page.name}: no command of the study"


def test_the_glossary_defines_the_words_of_the_output_and_of_files():
    output = {"thread", "configuration", "repetition", "sample-pair", "operation", "layout", "disturbed", "core-to-core-latency"}
    files = {"lane", "point", "visit", "round", "placement"}
    assert output | files <= anchors(REFERENCE / "glossary.md")


def test_terms_of_the_glossary_are_in_order():
    terms = [line.removeprefix("### ").lower() for _, line in Document(REFERENCE / "glossary.md").prose if line.startswith("### ")]
    assert terms == sorted(terms, key=lambda term: re.sub(r"\W", " ", term))


def test_the_readme_is_short_and_begins_with_the_two_commands():
    readme = DOCUMENTS[0]
    assert len(readme.lines) <= 120
    first = [c.split()[0] for block in readme.blocks for c in block.commands()]
    assert first[:2] == ["scripts/run", "scripts/test"]


def test_the_code_of_your_own_primitive_is_that_of_the_examples_which_are_built():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*")) if path.suffix in (".hpp", ".txt"))
    shown = [block for block in Document(DOCS / "how-to/add-a-primitive.md").blocks if block.language in ("cpp", "cmake")]
    assert len(shown) >= 3
    for block in shown:
        for part in "\n".join(block.lines).split("\n\n"):
            assert part in text, f"{block.place}: not in examples/:\n{part}"


def test_one_version(programs):
    version = re.search(r"^set\(SM_VERSION (\S+)\)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
    package = (ROOT / "analysis/syncmeter_analysis/__init__.py").read_text(encoding="utf-8")
    assert f'\n__version__ = "{version}"\n' in package
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert programs.call(["syncmeter", "--version"]) == (0, f"syncmeter {version}\n")
    assert programs.call(["syncmeter-report", "--version"]) == (0, f"syncmeter-report {version}\n")


def test_the_readme_answers_a_new_reader():
    """The readme says for whom the tool is, how long it takes, and what to do on a noisy machine."""
    readme = DOCUMENTS[0].path.read_text(encoding="utf-8")
    assert "It is for those who" in readme.partition("\n## ")[0]
    for answer in ("Is my machine too noisy?", "Fortran?", "MPI?", "No root?", "Old distribution?"):
        assert f"- **{answer}**" in readme
    questions = readme.partition("\n| question | command | takes")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(questions) >= 10 and all(re.search(r"\d+ (s|min) \|$", line) for line in questions)


def test_the_site_begins_with_the_page_of_doors():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert all(f"| **{door}** |" in index for door in ("Tutorials", "How-to", "Reference", "Explanation"))
    assert "- Overview: index.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_recipe_for_ci_leads_with_two_builds_alternately():
    commands = [command for block in Document(DOCS / "how-to/gate-ci.md").blocks for command in block.commands()]
    assert commands[0].startswith("syncmeter ab ")
    assert not any("--repetitions 2" in command for command in commands)


SAMPLES = [block for document in DOCUMENTS for block in document.blocks if block.printed_by()]


@pytest.mark.parametrize("block", SAMPLES, ids=lambda block: block.place)
def test_a_sample_is_what_its_command_prints(programs, block):
    """Lines may be left out, and none may be changed."""
    status, text = programs.call(shlex.split(block.printed_by()), ROOT)
    assert status == 0, text
    printed = iter(text.splitlines())
    for line in filter(None, block.lines):
        assert line in printed, f"{block.place}: not printed, or not in this order: {line}"


def test_the_samples_of_the_readme_and_of_studies_are_printed_from_stored_files():
    pages = {block.place.partition(":")[0] for block in SAMPLES}
    assert {"README.md", *(f"docs/reference/studies/{name}.md" for name in ("waiting", "false-sharing", "locks"))} <= pages


@pytest.mark.parametrize("path", user_pages(), ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_for_users_is_short(path):
    assert Document(path).words() <= 1500, "move histories and validation to docs/evidence, or split the page"


def test_all_pages_for_users_are_short():
    assert sum(Document(path).words() for path in user_pages()) <= 30_000


def test_each_page_for_users_is_in_the_navigation():
    shown = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2], re.M)
    assert len(shown) == len(set(shown))
    assert {str(path.relative_to(DOCS)) for path in user_pages()} <= set(shown)
    evidence = [name.startswith(("evidence/", "measurements/")) for name in shown]
    assert evidence.index(True) > max(shown.index(str(path.relative_to(DOCS))) for path in user_pages()), "evidence comes last"


def test_the_parts_of_the_reference_are_those_of_the_program(programs):
    """`scripts/reference` writes these parts."""
    done = subprocess.run([ROOT / "scripts/reference", "--check"], env=programs.environment, capture_output=True, text=True,
                          timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
