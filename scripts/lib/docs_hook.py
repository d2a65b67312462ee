"""Pages of the site that are no files of docs/.

README.md is its first page; it and others of the repository's root are written for the root, so that their links are
rewritten for the site. Of results files that a page links to, scripts/docs makes reports in build/reports; a link to
the report is put behind the one to the results.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
# Files that pages link to and the site only carries.
CARRIED = ("LICENSE", "CITATION.cff", "tests/README.md")


def on_files(files, config):
    root = Path(config.config_file_path).parent
    for source, page in PAGES.items():
        text = (root / source).read_text(encoding="utf-8").replace("](docs/", "](")
        for name, target in PAGES.items():
            text = re.sub(rf"\]\({re.escape(name)}(?=[)#])", f"]({target}", text)
        text = text.replace("](tests/README.md)", "](tests.txt)")
        files.append(File.generated(config, page, content=text))
    for name in CARRIED:
        target = "tests.txt" if name == "tests/README.md" else name
        files.append(File.generated(config, target, content=(root / name).read_text(encoding="utf-8")))
    for report in reports(root):
        files.append(File.generated(config, f"reports/{report.name}", content=report.read_text(encoding="utf-8")))
    return files


def reports(root):
    return sorted((root / "build" / "reports").glob("*.html"))


def on_page_markdown(markdown, page, config, files):
    for report in reports(Path(config.config_file_path).parent):
        results = f"](measurements/{report.stem}.jsonl.xz)"
        markdown = markdown.replace(results, f"{results}, [the report](reports/{report.name})")
    return markdown
