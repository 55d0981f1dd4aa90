# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site: from the same Markdown that is read in the repository.

The list of pages is in contents.toml, not in the pages, where other readers of Markdown would show
it as code. Nothing is loaded from the network, neither to make the site nor to read it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
CONTENTS = tomllib.loads((HERE / "contents.toml").read_text())

project = "Myrmidon"
author = "the authors of Myrmidon"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "README"

source_suffix = {".md": "markdown"}

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
highlight_language = "text"
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = "Myrmidon"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # it would read pages by HTTP, which there may not be
html_show_sphinx = False
html_show_copyright = False


def toctree(pages: list[str], caption: str = "") -> str:
    """A list of pages that only the sidebar shows."""
    options = [":hidden:", ":glob:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, *(f"/{page}" for page in pages), "```", ""])


def add_lists(_: Sphinx, name: str, source: list[str]) -> None:
    """Puts behind a page what contents.toml says is below it."""
    if name == root_doc:
        parts = CONTENTS["part"]
        source[0] += "".join(toctree(part["pages"], part["title"]) for part in parts)
    below = CONTENTS["below"].get(name)
    if below:
        source[0] += toctree(below)


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_lists)
