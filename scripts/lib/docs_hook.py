"""Adds pages and files to the site that are not in docs/.

CONTRIBUTING.md and CHANGELOG.md become pages. Their links are written for the repository's root, so the hook rewrites
them for the site. README.md is not on the site: docs/index.md is the first page. scripts/docs writes a report for each
stored results file into build/reports. The hook adds a link to the report behind each link to the results file.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
#: Files that pages link to, and their names on the site.
CARRIED = {"LICENSE": "LICENSE", "CITATION.cff": "CITATION.cff", "tests/README.md": "tests.txt"}


def on_files(files, config):
    root = Path(config.config_file_path).parent
    for source, page in PAGES.items():
        text = (root / source).read_text(encoding="utf-8").replace("](docs/", "](")
        for name, target in {**PAGES, **CARRIED, "README.md": "index.md"}.items():
            text = re.sub(rf"\]\({re.escape(name)}(?=[)#])", f"]({target}", text)
        files.append(File.generated(config, page, content=text))
    for source, target in CARRIED.items():
        files.append(File.generated(config, target, content=(root / source).read_text(encoding="utf-8")))
    for report in reports(root):
        files.append(File.generated(config, f"reports/{report.name}", content=report.read_text(encoding="utf-8")))
    return files


def reports(root):
    return sorted((root / "build" / "reports").glob("*.html"))


def on_page_markdown(markdown, page, config, files):
    to_root = "../" * page.file.src_uri.count("/")
    for report in reports(Path(config.config_file_path).parent):
        results = f"]({to_root}measurements/{report.stem}.jsonl.xz)"
        markdown = markdown.replace(results, f"{results}, [the report]({to_root}reports/{report.name})")
    return markdown
