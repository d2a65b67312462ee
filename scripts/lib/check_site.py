"""Every link of a built site that stays inside it: the file is there, and so is the anchor.

usage: check_site.py FOLDER

mkdocs checks links of Markdown; this reads the pages as a browser gets them, raw HTML, images and scripts too. Nothing
may be fetched from elsewhere either, but for links that a reader follows.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page offers (ids) and what it asks for: (attribute, address) of each link."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                self.links.append((tag, value))


def main(folder):
    # Anchors of a report are made by its script, which its own tests look at.
    found = [path for path in sorted(folder.rglob("*.html")) if path.parent != folder / "reports"]
    pages = {path.resolve(): Page(path) for path in found}
    wrong, checked = [], 0
    for path, page in pages.items():
        for tag, address in page.links:
            parts = urlsplit(address)
            where = f"{path.relative_to(folder.resolve())}: {address}"
            if parts.scheme or parts.netloc:
                if tag != "a":
                    wrong.append(f"{where}: <{tag}> is fetched from elsewhere")
                continue
            checked += 1
            # The page of a missing address has links from the site's root.
            base = folder.resolve() if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                wrong.append(f"{where}: no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                wrong.append(f"{where}: no such anchor")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(f"{len(pages)} pages, {checked} links inside the site, {len(wrong)} wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
