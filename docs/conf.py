"""How Sphinx makes a site of the documents; `make site` runs it.

The documents are plain Markdown, as every forge shows it. The order of the site is that of the lists in docs/index.md
and docs/rules.md: each link of theirs is a page, below the heading that it stands under.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

project = "vppcfg"
extensions = ["myst_parser"]
# The root of the repository is the source: links to CONTRIBUTING.md or schema/ then lead where they do everywhere.
root_doc = "docs/index"
include_patterns = ["docs/**.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = [".*", "build", "dist", "ansible", "containers", "tests", "vppcfg", "debian"]
nitpicky = True
myst_heading_anchors = 4
myst_linkify_fuzzy_links = False

html_theme = "furo"
html_title = "vppcfg"
html_copy_source = False
html_show_copyright = False
html_permalinks_icon = "#"
html_theme_options = {"top_of_page_buttons": []}
html_static_path = ["site.css"]
html_css_files = ["site.css"]

LISTS = ("docs/index", "docs/rules")
"""The pages whose lists are the order of the site."""
LISTED = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\.md\)", re.MULTILINE)


def navigation(text: str) -> dict[str, list[tuple[str, str]]]:
    """Return the pages that the lists of a page lead to, each with its title, by the heading above them."""
    sections = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    found = {caption: LISTED.findall(body) for caption, body in zip(sections[::2], sections[1::2], strict=True)}
    return {caption: pages for caption, pages in found.items() if pages}


def with_tables_of_contents(text: str, page: str) -> str:
    """Return the text of a page with a hidden table of contents for each of its lists."""
    parts = [text]
    for caption, pages in navigation(text).items():
        shown = [f":caption: {caption}"] if page == root_doc else []
        rows = [f"{title} <{_absolute(page, target)}>" for title, target in pages]
        parts.append("\n".join(["```{toctree}", ":hidden:", *shown, "", *rows, "```"]))
    return "\n\n".join(parts) + "\n"


def _absolute(page: str, target: str) -> str:
    """Return where a relative link of a page leads, from the root."""
    path = PurePosixPath("/", page).parent
    for step in PurePosixPath(target).parts:
        path = path.parent if step == ".." else path / step
    return str(path)


DIFFERENCE = re.compile(r"^ *([-+~]) ")
"""How a line of a difference begins: removed, added, changed."""


def lexers() -> dict[str, Any]:
    """Return lexers of Pygments for what commands print, by the names of blocks: lines of a difference get colours."""
    from pygments.lexers.shell import BashSessionLexer
    from pygments.lexers.special import TextLexer
    from pygments.token import Generic, Text

    marks = {"-": Generic.Deleted, "+": Generic.Inserted, "~": Generic.Strong}

    def coloured(base: Any) -> Any:
        def lines(lexer: Any, text: str) -> Any:
            for position, kind, value in base.get_tokens_unprocessed(lexer, text):
                for line in value.splitlines(keepends=True) if kind in (Text, Generic.Output) else [value]:
                    mark = DIFFERENCE.match(line) if kind in (Text, Generic.Output) else None
                    yield position, marks[mark[1]] if mark else kind, line
                    position += len(line)

        return type(base.__name__, (base,), {"get_tokens_unprocessed": lines})

    return {"text": coloured(TextLexer), "console": coloured(BashSessionLexer)}


def setup(app: Any) -> None:
    """Let Sphinx read the pages with lists as they are to be on the site, and colour differences."""
    for name, lexer in lexers().items():
        app.add_lexer(name, lexer)

    def read(_: Any, page: str, content: list[str]) -> None:
        if page in LISTS:
            content[0] = with_tables_of_contents(content[0], page)

    app.connect("source-read", read)
