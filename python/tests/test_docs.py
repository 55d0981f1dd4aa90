# SPDX-License-Identifier: Apache-2.0
"""Runs the code of the pages, block by block, and the notebooks of examples/."""

import contextlib
import io
import linecache
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
PAGES = (PACKAGE / "README.md", PACKAGE.parent / "docs" / "user" / "python.md")
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTEBOOKS = {
    "cholesky": "8x8 tiles: right\n",
    "images": "40 frames, in order\n",
    "k_means": "5 centres: found\n",
}


class Pages(unittest.TestCase):
    def check_page(self, page: Path) -> None:
        variables: dict[str, object] = {"__name__": "page"}
        printed = ""
        for number, (kind, text) in enumerate(BLOCK.findall(page.read_text())):
            if kind == "text":
                self.assertEqual(printed, text, f"block {number} of {page.name}")
                continue
            name = f"<block {number} of {page.name}>"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, name, "exec"), variables)
            printed = output.getvalue()

    def test_pages(self) -> None:
        for page in PAGES:
            with self.subTest(page=page.name):
                self.assertTrue(BLOCK.search(page.read_text()))
                self.check_page(page)


class Notebooks(unittest.TestCase):
    def test_notebooks(self) -> None:
        found = sorted(path.stem for path in (PACKAGE / "examples").glob("*.py"))
        self.assertEqual(found, sorted(NOTEBOOKS))
        for name, expected in NOTEBOOKS.items():
            for machine in ("serial", "smp:3"):
                with self.subTest(name=name, machine=machine):
                    done = subprocess.run(
                        [sys.executable, PACKAGE / "examples" / f"{name}.py"],
                        env=os.environ | {"MYR_ON": machine, "OPENBLAS_NUM_THREADS": "1"},
                        capture_output=True,
                        text=True,
                        timeout=120,
                    )
                    self.assertEqual((done.stdout, done.stderr), (expected, ""))


if __name__ == "__main__":
    unittest.main()
