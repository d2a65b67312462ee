"""What the pages have to hold: links that lead somewhere, a page for each study, the words that tables use, one version."""

import re
import shlex

import pytest
from documents import DOCS, ROOT, Document, documents

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
    pages = {path.stem for path in (DOCS / "studies").glob("*.md")} - {"index"}
    assert pages == set(programs.studies())


@pytest.mark.parametrize("list_of_studies", ["README.md", "docs/studies/index.md", "mkdocs.yml"])
def test_every_study_is_listed(programs, list_of_studies):
    text = (ROOT / list_of_studies).read_text(encoding="utf-8")
    for name in programs.studies():
        assert re.search(rf"\b{name}\.md\b", text), f"{list_of_studies}: {name} is missing"


def test_a_page_of_a_study_has_its_parts(programs):
    for name in programs.studies():
        page = Document(DOCS / "studies" / f"{name}.md")
        text = page.path.read_text(encoding="utf-8")
        for part in ("**What it answers**", "## Output", "## How to read it", "## How it is measured", "## Limits"):
            assert part in text, f"{page.name}: no {part}"
        shown = [command for block in page.blocks for command in block.commands()]
        assert any(f"--study {name}" in c or name == "quick" for c in shown), f"{page.name}: no command of the study"


def test_the_glossary_defines_the_words_of_the_tables():
    assert {"lane", "hop", "busy", "visit", "round", "point", "op", "placement"} <= anchors(DOCS / "glossary.md")


def test_the_readme_is_short_and_begins_with_the_two_commands():
    readme = DOCUMENTS[0]
    assert len(readme.lines) <= 120
    first = [c.split()[0] for block in readme.blocks for c in block.commands()]
    assert first[:2] == ["scripts/run", "scripts/test"]


def test_the_code_of_your_own_primitive_is_that_of_the_examples_which_are_built():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*")) if path.suffix in (".hpp", ".txt"))
    shown = [block for block in Document(DOCS / "your-own-primitive.md").blocks if block.language in ("cpp", "cmake")]
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


def test_the_readme_says_whom_it_is_for_whether_a_machine_is_too_noisy_and_each_word_that_its_output_needs():
    readme = DOCUMENTS[0].path.read_text(encoding="utf-8")
    assert "It is for those who" in readme.partition("\n## ")[0]
    assert "**Is my machine too noisy?**" in readme
    words = re.findall(r"^- \*\*([^*]+)\*\*", readme.partition("\n## What it prints\n")[2].partition("\n## ")[0], re.M)
    assert 1 <= len(words) <= 5 and {"interval", "shared", "line ns", "disturbed"} <= set(words)


def test_the_recipe_for_ci_leads_with_two_builds_in_turn():
    commands = [command for block in Document(DOCS / "ci.md").blocks for command in block.commands()]
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
    assert {"README.md", *(f"docs/studies/{name}.md" for name in ("waiting", "false-sharing", "locks"))} <= pages


@pytest.mark.parametrize("study", ["false-sharing", "locks"])
def test_the_output_that_a_page_shows_decides(study):
    shown = (DOCS / "studies" / f"{study}.md").read_text(encoding="utf-8").partition("## Output")[2].partition("\n## ")[0]
    assert "begins with its answers" in shown and "cannot tell" not in shown and "of study quick" not in shown


def test_the_glossary_names_the_condition_of_doubtful_advice():
    card = (ROOT / "analysis/syncmeter_analysis/voice/templates/claims.toml").read_text(encoding="utf-8")
    doubtful = " ".join((DOCS / "glossary.md").read_text(encoding="utf-8").partition("### doubtful\n")[2].split("\n#")[0].split())
    said = "ther work disturbed both sides"
    assert f'disturbed = "O{said}: ' in card
    assert f'"o{said}"' in doubtful
