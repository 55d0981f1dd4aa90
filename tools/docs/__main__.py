# SPDX-License-Identifier: Apache-2.0
"""Makes the site of the documents, in build/docs/html, from the Markdown of the repository.

Usage: ./dev docs [--anew] [--look [FOLDER]]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from docs import reference
from docs.layout import Layout

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/docs"
FIRST_PAGE = "README.html"


def forget_if_changed(layout: Layout) -> None:
    """All pages show the list of pages: if that has changed, all are made anew."""
    made_by = [HERE / "contents.toml", HERE / "conf.py", HERE.parent / "requirements-docs.txt"]
    state = "\n".join([*sorted(map(str, layout.written)), *(path.read_text() for path in made_by)])
    stamp = BUILD / "state"
    if not stamp.is_file() or stamp.read_text() != state:
        for name in ("doctrees", "html"):
            shutil.rmtree(BUILD / name, ignore_errors=True)
        stamp.write_text(state)


def make_site() -> int:
    source, html = BUILD / "source", BUILD / "html"
    layout = Layout(ROOT, source)
    layout.write(reference.pages(ROOT / "include/myr"))
    forget_if_changed(layout)
    words = ["-q", "-W", "--keep-going", "-b", "html", "-c", HERE, "-d", BUILD / "doctrees"]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words, source, html], check=False)
    if done.returncode != 0:
        return done.returncode
    (html / "index.html").write_text(
        f'<!doctype html><title>Myrmidon</title><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="0; url={FIRST_PAGE}">\n'
        f'<a href="{FIRST_PAGE}">Myrmidon</a>\n'
    )
    print(f"docs: {(html / 'index.html').relative_to(ROOT)}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev docs", description=__doc__)
    parser.add_argument("--anew", action="store_true", help="makes unchanged pages, too")
    parser.add_argument(
        "--look", nargs="?", const="", metavar="FOLDER", help="visits them; pictures go to FOLDER"
    )
    arguments = parser.parse_args()
    if arguments.anew:
        shutil.rmtree(BUILD, ignore_errors=True)
    status = make_site()
    if status != 0 or arguments.look is None:
        return status
    from docs.look import look  # needs a browser

    return look(BUILD / "html", Path(arguments.look) if arguments.look else None)


if __name__ == "__main__":
    sys.exit(main())
