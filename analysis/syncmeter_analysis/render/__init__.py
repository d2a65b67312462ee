"""The report: sections made of blocks (blocks.py), rendered to a page or to Markdown."""
