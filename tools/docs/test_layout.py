# SPDX-License-Identifier: Apache-2.0
"""Is each page in a list of the site, and each link changed to what a site has?"""

import fnmatch
import tempfile
import tomllib
import unittest
from pathlib import Path

from docs import reference
from docs.layout import PAGES, Layout

ROOT = Path(__file__).parents[2]
PAGE = """# A page
[file](code.cpp#L1) and [`code`](code.cpp), [other](other.md#place), [folder](folder), [none](x.cpp)
![picture](p.png) `[a](code.cpp)`

    [](int a) { f[a](code.cpp); }

```cpp
[a](code.cpp);
```
"""
LAID_OUT = """# A page
[file](code.cpp.md#L1) and [`code`](code.cpp.md), [other](other.md#place), folder, [none](x.cpp)
![picture](p.png) `[a](code.cpp)`

    [](int a) { f[a](code.cpp); }

```cpp
[a](code.cpp);
```
"""


class Pages(unittest.TestCase):
    def test_each_page_is_in_a_list(self) -> None:
        contents = tomllib.loads(Path(__file__).with_name("contents.toml").read_text())
        lists = [part["pages"] for part in contents["part"]] + list(contents["below"].values())
        patterns = ["README", *(name for names in lists for name in names)]
        pages = {
            path.relative_to(ROOT).with_suffix("").as_posix()
            for pattern in PAGES
            for path in ROOT.glob(pattern)
        }
        pages |= set(path.removesuffix(".md") for path in reference.pages(ROOT / "include/myr"))
        listed = {page for pattern in patterns for page in fnmatch.filter(pages, pattern)}
        self.assertEqual(pages - listed, set(), "not in tools/docs/contents.toml")
        for pattern in patterns:
            self.assertTrue(fnmatch.filter(pages, pattern), f"contents.toml: no page {pattern}")


class Links(unittest.TestCase):
    def test_links_to_code_lead_to_a_page_of_it(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root, target = Path(name, "root").resolve(), Path(name, "target")
            (root / "folder").mkdir(parents=True)
            (root / "a.md").write_text(PAGE)
            (root / "other.md").write_text("# Other\n")
            (root / "code.cpp").write_text("int x;\n")
            (root / "p.png").write_bytes(b"p")
            target.mkdir()
            (target / "old.md").write_text("from an earlier time")
            Layout(root, target).write({"made.md": "# Made\n"})
            self.assertEqual((target / "a.md").read_text(), LAID_OUT)
            self.assertIn("int x;", (target / "code.cpp.md").read_text())
            files = {path.name for path in target.rglob("*") if path.is_file()}
            self.assertEqual(files, {"a.md", "other.md", "code.cpp.md", "p.png", "made.md"})


if __name__ == "__main__":
    unittest.main()
