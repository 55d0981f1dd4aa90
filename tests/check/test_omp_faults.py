#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is planted into a text with OpenMP's pragmas. Run: python3 test_omp_faults.py"""

import unittest

from omp_faults import Fault, directives, faults


def planted(source: str) -> dict[str, list[str]]:
    """By kind: the lines that a fault changes, joined as after it."""
    found: dict[str, list[str]] = {}
    before = source.splitlines()
    for fault in faults(source):
        after = fault.planted(source).splitlines()
        assert len(after) == len(before), fault
        changed = [b.strip() for a, b in zip(before, after, strict=True) if a != b]
        found.setdefault(fault.kind, []).append(" ".join(changed))
    return found


def only(source: str) -> Fault:
    (fault,) = faults(source)
    return fault


class Faults(unittest.TestCase):
    def test_depend_clauses(self) -> None:
        found = planted("#pragma omp task depend(in : a, b[f(1, 2)]) depend(inout : c)\nf();\n")
        self.assertEqual(
            found,
            {
                "depend": [
                    "#pragma omp task  depend(inout : c)",
                    "#pragma omp task depend(in : a, b[f(1, 2)])",
                ],
                "item": [
                    "#pragma omp task depend(in : b[f(1, 2)]) depend(inout : c)",
                    "#pragma omp task depend(in : a) depend(inout : c)",
                ],
                "weakened": ["#pragma omp task depend(in : a, b[f(1, 2)]) depend(in : c)"],
            },
        )

    def test_iterators(self) -> None:
        found = planted("#pragma omp task depend(iterator(i = 0 : n), out : a[i], b)\nf();\n")
        self.assertEqual(
            found["item"],
            [
                "#pragma omp task depend(iterator(i = 0 : n), out : b)",
                "#pragma omp task depend(iterator(i = 0 : n), out : a[i])",
            ],
        )

    def test_what_is_left_alone(self) -> None:
        for text in (
            "#pragma omp ordered depend(source)",
            "#pragma omp single copyprivate(x)",
            "#pragma omp for nowait",
            "#pragma omp simd private(x)",
            "#pragma omp taskloop reduction(+ : x) nogroup",
            "// #pragma omp barrier",
            "/*\n#pragma omp barrier\n*/",
            "#pragma omp target private(x)",
        ):
            with self.subTest(text):
                self.assertEqual(planted(f"{text}\n"), {})

    def test_pragmas_that_go(self) -> None:
        for name in ("taskwait", "barrier", "taskgroup", "atomic", "critical", "ordered"):
            with self.subTest(name):
                self.assertEqual(
                    planted(f"{{\n  #pragma omp {name}\n  x += 1;\n}}\n"), {name: [""]}
                )
        for text in ("ordered depend(sink : i - 1)", "taskwait depend(in : x)"):
            self.assertEqual(planted(f"#pragma omp {text}\n"), {text.split()[0]: [""]})
        self.assertEqual(planted("#pragma omp critical (name)\nx += 1;\n"), {"critical": [""]})
        self.assertEqual(planted("#pragma omp atomic \\\n  capture\nx = y++;\n"), {"atomic": [" "]})

    def test_what_no_longer_waits(self) -> None:
        self.assertEqual(
            planted("#pragma omp for  // all\nfor (;;);\n"),
            {"nowait": ["#pragma omp for nowait  // all"]},
        )
        self.assertEqual(
            planted("#pragma omp taskloop\nfor (;;);\n"),
            {"taskgroup": ["#pragma omp taskloop nogroup"]},
        )

    def test_what_becomes_shared(self) -> None:
        self.assertEqual(
            planted("#pragma omp parallel private(a, b)\nf();\n")["shared"],
            [
                "#pragma omp parallel private(b) shared(a)",
                "#pragma omp parallel private(a) shared(b)",
            ],
        )
        found = planted("#pragma omp for private(i, a) nowait\nfor (int i = 0; i < n; ++i) f();\n")
        self.assertEqual(found, {"shared": ["#pragma omp for private(i) nowait"]})
        found = planted("#pragma omp for nowait, lastprivate(a)\nfor (i = 0; i < n; ++i) f();\n")
        self.assertEqual(found, {"shared": ["#pragma omp for nowait"]})

    def test_reductions(self) -> None:
        self.assertEqual(
            planted("#pragma omp parallel for default(none) reduction(+ : a, b)\nf();\n"),
            {"reduction": ["#pragma omp parallel for default(none) shared(a, b)"]},
        )
        self.assertEqual(
            planted("#pragma omp for nowait reduction(max : a)\nf();\n"),
            {"reduction": ["#pragma omp for nowait"]},
        )

    def test_pragmas_of_several_lines(self) -> None:
        source = (
            "f();\n#pragma omp task firstprivate(a) \\\n    depend(out : b)  /* last */\ng();\n"
        )
        self.assertEqual([fault.line for fault in faults(source)], [2, 3, 3])
        (directive,) = directives(source)
        self.assertEqual((directive.line, directive.last_line), (2, 3))
        fault = only('#pragma omp parallel for private(a, \\\n  b) if (f(")"))\nfor (b = 0;;);\n')
        self.assertEqual(
            fault.planted(
                '#pragma omp parallel for private(a, \\\n  b) if (f(")"))\nfor (b = 0;;);\n'
            ),
            '#pragma omp parallel for private(b) shared(a)\\\n if (f(")"))\nfor (b = 0;;);\n',
        )


if __name__ == "__main__":
    unittest.main()
