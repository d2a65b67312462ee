"""Text of a built site against its background, in light and dark: at least 4.5:1, or 3:1 where it is large.

usage: check_contrast.py FOLDER

It needs Playwright and a chromium; where they are missing it says so, with status 77.
"""

import shutil
import sys
from pathlib import Path

# A page of each kind: the first, prose with code, tables, pictures.
PAGES = ("index.html", "how-to/add-a-primitive.html", "reference/studies/locks.html", "explanation/how-a-cost-is-measured.html", "changelog.html")

TOO_FAINT = """() => {
  const parts = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (top, below) => top.rgb.map((c, i) => c * top.a + below[i] * (1 - top.a));
  const behind = (e) => {
    const own = parts(getComputedStyle(e).backgroundColor);
    if (own.a === 1) return own.rgb;
    return over(own, e.parentElement ? behind(e.parentElement) : [255, 255, 255]);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  let looked = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    const shown = e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!texts.currentNode.data.trim() || !shown || !e.getClientRects().length || e.closest('.headerlink')) continue;
    const style = getComputedStyle(e);
    const background = behind(e);
    const [low, high] = [luminance(over(parts(style.color), background)), luminance(background)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (high + 0.05) / (low + 0.05);
    looked += 1;
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}:1 '${texts.currentNode.data.trim().slice(0, 40)}'`);
    if (e.closest('.md-content__inner a') && !e.closest('.headerlink, .md-button')
        && !getComputedStyle(e.closest('a')).textDecorationLine.includes('underline'))
      found.push(`a link without a line under it: '${texts.currentNode.data.trim().slice(0, 40)}'`);
  }
  return [looked, found];
}"""


def main(folder: Path) -> int:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        sync_playwright = None
    if not chromium or not sync_playwright:
        print(f"{'no playwright' if chromium else 'no chromium'} here: the contrast of the site is not checked")
        return 77
    texts, wrong = 0, []
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for name in PAGES:
                page = browser.new_page(color_scheme=scheme)
                page.goto((folder / name).resolve().as_uri())
                looked, faint = page.evaluate(TOO_FAINT)
                texts += looked
                wrong += [f"{name}, {scheme}: {what}" for what in faint]
                page.close()
        browser.close()
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(f"{texts} texts on {len(PAGES)} pages, light and dark, {len(wrong)} too faint")
    return 1 if wrong or not texts else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
