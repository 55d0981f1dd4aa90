# SPDX-License-Identifier: Apache-2.0
"""Tests of the tidy checks. Run: cd tools && python3 -m unittest tidy.test_tidy"""

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from tidy import decisions, layers, limits, links, orders, words
from tidy.source import Source

TABLE = layers.LayerTable.load(Path(__file__).with_name("layers.toml"))
HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


def texts(findings: object) -> list[str]:
    return [str(finding) for finding in findings]  # type: ignore[attr-defined]


class Layers(unittest.TestCase):
    def includes(self, path: str, text: str) -> list[str]:
        return texts(layers.check_includes(Source(path, text), TABLE))

    def test_an_upward_include_is_reported_with_its_line(self) -> None:
        found = self.includes(
            "src/trace/x.cpp", '\n#include "base/bits.hpp"\n#include "graph/task.hpp"\n'
        )
        self.assertEqual(found, ["src/trace/x.cpp:3: trace may not include graph"])

    def test_own_files_and_public_headers_are_free(self) -> None:
        self.assertEqual(
            self.includes("src/mem/x.hpp", '#include "mem/y.hpp"\n#include "myr/myr.h"\n'), []
        )

    def test_only_model_tests_see_the_explorer(self) -> None:
        include = '#include "explore/explore.hpp"\n'
        self.assertEqual(self.includes("src/sync/deque_model.cpp", include), [])
        self.assertEqual(len(self.includes("src/graph/task.hpp", include)), 1)

    def test_programs_see_no_layer_and_tests_see_all(self) -> None:
        include = '#include "mem/pool.hpp"\n'
        found = self.includes("kernels/demo/fib/main.cpp", include)
        self.assertEqual(found, ["kernels/demo/fib/main.cpp:1: kernels may not include mem"])
        self.assertEqual(self.includes("tests/random/main.cpp", include), [])

    def test_links_are_held_to_the_same_table(self) -> None:
        text = "myr_layer(deps\n  SOURCES a.cpp\n  DEPENDS base mem\n  LIBRARIES fmt::fmt)\n"
        found = texts(layers.check_links(Source("src/deps/CMakeLists.txt", text), TABLE))
        self.assertEqual(found, ["src/deps/CMakeLists.txt:1: deps may not depend on mem"])

    def test_folders_side_by_side_must_not_include_each_other(self) -> None:
        files = {
            "src/cluster/mpi/a.hpp": '#include "cluster/sim/b.hpp"\n#include "cluster/c.hpp"\n',
            "src/cluster/sim/b.hpp": '#include "cluster/threads/d.hpp"\n',
            "src/cluster/threads/d.hpp": '\n#include "cluster/mpi/a.hpp"\n',
            "src/cluster/c.hpp": '#include "cluster/mpi/a.hpp"\n#include "mem/e.hpp"\n',
            "src/mem/e.hpp": "",
        }
        found = texts(layers.check_cycles(Source(path, text) for path, text in files.items()))
        self.assertEqual(len(found), 3)
        self.assertIn("src/cluster/threads/d.hpp:2: src/cluster/threads and mpi include", found[2])
        files["src/cluster/threads/d.hpp"] = ""
        self.assertEqual(
            texts(layers.check_cycles(Source(path, text) for path, text in files.items())), []
        )

    def test_the_table_has_no_cycle(self) -> None:
        lower: set[str] = set()
        waiting = dict(TABLE.layers)
        while waiting:
            free = [name for name, uses in waiting.items() if lower.issuperset(uses)]
            self.assertTrue(free, f"cycle among {sorted(waiting)}")
            lower.update(free)
            for name in free:
                del waiting[name]


class Limits(unittest.TestCase):
    def functions(self, text: str) -> list[str]:
        return texts(limits.check_functions(Source("a.cpp", text)))

    def test_head(self) -> None:
        self.assertEqual(texts(limits.check_head(Source("a.hpp", HEAD))), [])
        self.assertEqual(len(texts(limits.check_head(Source("a.hpp", "#pragma once\n")))), 1)

    def test_lines(self) -> None:
        to_do = "// TO" + "DO"
        text = "x" * 101 + f"\n{to_do} later\n{to_do}(12) later\n#include <atomic>\n"
        found = texts(limits.check_lines(Source("src/mem/a.cpp", text)))
        self.assertEqual([line.split(":")[1] for line in found], ["1", "2", "4"])
        self.assertEqual(len(texts(limits.check_lines(Source("src/sync/a.cpp", text)))), 2)

    def test_a_long_file(self) -> None:
        found = texts(limits.check_lines(Source("a.cpp", "\n" * 801)))
        self.assertEqual(found, ["a.cpp:1: 801 lines, at most 800 allowed"])

    def test_a_long_function_is_found_inside_class_and_namespace(self) -> None:
        text = (
            "namespace a {\nstruct B {\n  int f(int x) const {\n"
            + "    g({1});\n" * 69
            + "  }\n};\n}\n"
        )
        self.assertEqual(self.functions(text), ["a.cpp:3: f has 71 lines, at most 70 allowed"])

    def test_a_long_class_is_no_function(self) -> None:
        text = (
            "template <class T>\nclass alignas(64) A final : public B<T> {\n"
            + "  int x();\n" * 99
            + "};\n"
        )
        self.assertEqual(self.functions(text), [])

    def test_member_initialisers_do_not_hide_the_body(self) -> None:
        text = "A::A(int x) : b_{x}, c_{1} {\n" + "  f();\n" * 70 + "}\n"
        self.assertEqual(self.functions(text), ["a.cpp:1: A::A has 72 lines, at most 70 allowed"])

    def test_braces_in_text_comments_and_macros_do_not_count(self) -> None:
        text = 'void f() {\n  g("{", \'{\', R"x({)x");  // {\n}\n#define A {\n' + "int y;\n" * 80
        self.assertEqual(self.functions(text), [])


class Orders(unittest.TestCase):
    def orders(self, text: str) -> list[str]:
        return texts(orders.check_orders([Source("src/sync/a.hpp", text)]))

    def test_an_order_needs_a_tag(self) -> None:
        self.assertEqual(self.orders("x.load(sync::acquire);\n"),
                         ["src/sync/a.hpp:1: acquire without a [layer.name] tag"])  # fmt: skip
        self.assertEqual(self.orders("x.load(relaxed);\n"), [])

    def test_a_tag_has_two_sides(self) -> None:
        store = "// [a.b] Who reads this sees that.\nx.store(1, release);\n"
        self.assertEqual(self.orders(store), ["src/sync/a.hpp:2: [a.b] has no acquiring side"])
        self.assertEqual(self.orders(store + "x.load(acquire);  // [a.b]\n"), [])

    def test_an_exchange_may_be_both_sides(self) -> None:
        self.assertEqual(self.orders("x.exchange(1, acq_rel);  // [a.b]\n"), [])

    def test_a_tag_of_another_statement_does_not_count(self) -> None:
        found = self.orders("x.exchange(1, acq_rel);  // [a.b]\ny.f();\nz.load(acquire);\n")
        self.assertEqual(found, ["src/sync/a.hpp:3: acquire without a [layer.name] tag"])


class Links(unittest.TestCase):
    def test_a_dead_link(self) -> None:
        with TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "b.md").write_text("")
            text = "```cpp\n[](int x) {}\n```\n[b](b.md#part) [c](c.md) [w](https://example.org)\n"
            source = Source("a.md", text)
            found = texts(links.check_links_of_document(source, root))
        self.assertEqual(found, ["a.md:4: link to c.md, which does not exist"])


class Words(unittest.TestCase):
    GLOSSARY = "| word | meaning |\n| --- | --- |\n| vigil, to spread | says that it is there |\n"

    def check(self, code: str, ordinary: str) -> list[str]:
        header = Source("src/cluster/x.hpp", code)
        return texts(words.check_words([header], self.GLOSSARY, ordinary))

    def test_a_word_is_ordinary_or_explained(self) -> None:
        self.assertEqual(
            self.check("class Vigil {};\nstruct SpreadTask : Vigil {};\n", "task\n"), []
        )
        found = self.check("class Vigil {};\nclass MYR_API VigilBell final {};\n", "")
        self.assertEqual(len(found), 1)
        self.assertIn("src/cluster/x.hpp:2: `bell` in VigilBell is in neither", found[0])

    def test_forms_of_a_word_and_parameters_of_templates(self) -> None:
        code = "template <class Bell, class... Rest>\nstruct Recorded { friend class Records; };\n"
        self.assertEqual(self.check(code, "record\n"), [])

    def test_the_list_has_no_more_than_it_needs(self) -> None:
        found = self.check("class Task;\nclass Vigil;\n", "task\nbell\nvigil\n")
        self.assertEqual(len(found), 3)
        self.assertIn("words.txt:1: the words are not sorted", found[0])
        self.assertIn("words.txt:2: no type in src has `bell`", found[1])
        self.assertIn("words.txt:3: docs/design/glossary.md explains `vigil`", found[2])

    def test_only_headers_of_layers(self) -> None:
        self.assertTrue(words.is_subject(Source("src/mem/x.hpp", "")))
        self.assertFalse(words.is_subject(Source("src/mem/x.cpp", "")))
        self.assertFalse(words.is_subject(Source("tests/sim/x.hpp", "")))


class Decisions(unittest.TestCase):
    def check(self, *rows: str) -> list[str]:
        with TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("0001-ring.md", "0002-pay.md"):
                (root / name).write_text("")
            (root / "README.md").write_text("".join(row + "\n" for row in rows))
            return texts(decisions.check_index(root))

    FIRST = "| [1](0001-ring.md) | A ring | accepted |"

    def test_each_page_is_listed_once(self) -> None:
        second = "| [2](0002-pay.md) | Pay | accepted; point 1 replaced by [1](0001-ring.md) |"
        self.assertEqual(self.check(self.FIRST, second), [])
        self.assertEqual(
            self.check(self.FIRST), ["docs/adr/README.md:1: decision 2 is listed 0 times"]
        )
        self.assertEqual(len(self.check(self.FIRST, second, second)), 1)

    def test_a_row_names_its_page_and_a_status(self) -> None:
        wrong = "| [3](0002-pay.md) | Pay | perhaps |"
        found = self.check(self.FIRST, wrong)
        self.assertIn("docs/adr/README.md:2: the row of 3 leads to the page of 2", found)
        self.assertIn("docs/adr/README.md:2: `perhaps` is no status", found)
        self.assertEqual(len(self.check(self.FIRST, "| [2](0002-pay.md) | Pay |")), 2)


if __name__ == "__main__":
    unittest.main()
