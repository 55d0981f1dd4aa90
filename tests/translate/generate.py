# SPDX-License-Identifier: Apache-2.0
"""Random programs of tasks, in C and C++, that are right by construction.

A program is a function that works on a few variables, arrays, objects, in C++ also containers and
references, by tasks of all forms: blocks, statements, calls, declared functions, loops of tasks,
tasks below tasks, through macros and templates, in scopes of their own. All numbers are unsigned,
each task touches what it declares and copies of `k0` to `k2`, and main reads nothing before a wait.
So its serial run is defined, and says what every other run has to print.
"""

import random
from dataclasses import dataclass

HEAD = """\
#include <myr/myr.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned int u32;
typedef struct { u32 u; u32 v[4]; unsigned char b; } Record;
#define STEP(to, by) ((to) = (to) * 5u + (by))
#define TWICE(x) (2u * (x))
#define EACH(k, n) for (int k = 0; k < (n); ++k)
#define AT(a, i) a[(i)]
static u32 value_of(const u32* x) { return *x; }
static u32 sum_of(const u32* a, int n) {
  u32 sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 31u + a[i];
  return sum;
}
static void put(u32* to, u32 value) { *to = value; }
static void add(u32* to, u32 value) { *to = *to * 3u + value; }
static void add_first(u32 value, u32* to) { add(to, value); }
static void fill(u32* to, int n, u32 value) {
  for (int i = 0; i < n; ++i) to[i] = value + (u32)i;
}
static void scale(u32* to, int n, u32 by) {
  for (int i = 0; i < n; ++i) to[i] = to[i] * by + 1u;
}
static void fold(u32* to, const u32* from, int n) { *to = *to * 7u + sum_of(from, n); }
static void change_record(Record* r, u32 by) { r->u += by, r->v[1] ^= r->u, r->b++; }
static void scale_array(u32 a[8], u32 by) {
#pragma omp task inout(a[0;8])
  for (int i = 0; i < 8; ++i) a[i] = a[i] * by + 1u;
#pragma omp taskwait
}
#pragma omp task inout([n]to)
static void declared_scale(u32* to, int n, u32 by) { scale(to, n, by); }
#pragma omp task in([n]from) inout(*to)
static void declared_fold(const u32* from, int n, u32* to);
static void declared_fold(const u32* from, int n, u32* to) { fold(to, from, n); }
static void split(u32* a, int n, u32 by) {
  if (n < 3) {
    scale(a, n, by);
    return;
  }
#pragma omp task inout([n / 2]a) final(n < 5)
  split(a, n / 2, by);
#pragma omp task inout(a[n / 2; n - n / 2])
  split(a + n / 2, n - n / 2, by + 1u);
#pragma omp taskwait
}
static void sum_region(myr_region r, u32* const* all, int n, u32* to) {
  (void)r;
  for (int i = 0; i < n; ++i) *to = *to * 11u + *all[i];
}
"""

HEAD_CXX = """\
#include <array>
#include <numeric>
#include <utility>
#include <vector>
struct Adder {
  u32 sum = 0;
  void add(u32 x) { sum = sum * 3u + x; }
  Adder& operator+=(u32 x) { sum += x; return *this; }
};
template <class T>
static void template_add(T& to, T by) { to = to * 3u + by; }
template <class T>
static void template_block(T& to, T by) {
#pragma omp task inout(to)
  to = to * 7u + by;
#pragma omp taskwait
}
template <class T, int N>
static void template_array(T* to) {
#pragma omp task inout([N]to)
  for (int i = 0; i < N; ++i) to[i] += T(i);
#pragma omp taskwait
}
static void by_reference(u32& to, const u32& from) { to = to * 3u + from; }
"""


@dataclass(frozen=True)
class Place:
    """Memory of the program: what an access names, how many numbers it is, and where they are."""

    item: str
    count: int
    element: str  # with {} for the index

    def at(self, index: object) -> str:
        return self.element.format(index)


ARRAY = 8
SCALARS = ("x0", "x1", "x2")


class Program:
    """One program, decided by a seed. `kept`: which of its steps are left, for shrinking."""

    def __init__(self, seed: int, is_cxx: bool, kept: set[int] | None = None) -> None:
        self.is_cxx = is_cxx
        self.kept = kept
        self.seed = seed
        self.step_count = random.Random(seed).randint(6, 16)

    def text(self) -> str:
        """The function, named program_SEED."""
        lines = [f"static void program_{self.seed}(void) {{", *self.declarations()]
        for number in range(self.step_count):
            if self.kept is None or number in self.kept:
                lines += Step(self.seed * 1000 + number, self.is_cxx).lines()
        lines += ["#pragma omp taskwait", "  u32 h = 17u;"]
        lines += [f"  h = h * 31u + {name};" for name in SCALARS]
        lines += ["  h = h * 31u + sum_of(a, 8);", "  h = h * 31u + sum_of(&m[0][0], 24);"]
        lines += ["  h = h * 31u + sum_of(p, 8) + sum_of(o, 8) + rec.u + rec.v[1] + rec.b;"]
        if self.is_cxx:
            lines += ["  h = h * 31u + sum_of(v.data(), 6) + sum_of(t.data(), 4) + ad.sum;"]
        lines += ['  printf("%u\\n", h);', "  free(p);", "  myr_region_free(region);", "}"]
        return "\n".join(lines)

    def declarations(self) -> list[str]:
        lines = [
            "  u32 x0 = 1u, x1 = 2u, x2 = 3u, k0 = 4u, k1 = 5u, k2 = 6u;",
            "  u32 a[8] = {1u, 2u, 3u}, m[4][6] = {{9u, 8u}};",
            "  Record rec = {1u, {2u, 3u}, 4u};",
            "  u32* p = (u32*)calloc(8, sizeof *p);",
            "  myr_region region = myr_region_new(MYR_ROOT, 0);",
            "  u32* o = (u32*)myr_alloc(8 * sizeof *o, region);",
            "  for (int i = 0; i < 8; ++i) o[i] = (u32)i;",
        ]
        if self.is_cxx:
            lines += ["  std::vector<u32> v{1u, 2u, 3u, 4u, 5u, 6u};"]
            lines += ["  std::array<u32, 4> t{};", "  Adder ad;", "  u32& ref = v[2];"]
        return [*lines, "  (void)k0, (void)k1, (void)k2;"]


class Step:
    """Something that main does; it needs only what the program declares."""

    def __init__(self, seed: int, is_cxx: bool) -> None:
        self.random = random.Random(seed)
        self.is_cxx = is_cxx

    def lines(self) -> list[str]:
        forms = [
            self.block, self.block, self.block, self.statement, self.statement, self.call,
            self.call, self.declared, self.loop, self.chain, self.nested, self.nested, self.wait,
            self.wait_on, self.scope, self.copy_changes, self.recursion, self.tiles, self.myrmics,
            self.region, self.array_parameter, self.task_loop, self.graph,
        ]  # fmt: skip
        if self.is_cxx:
            forms += [self.container, self.container, self.template, self.object, self.range_for]
        return [f"  {line}" for line in self.random.choice(forms)()]

    # ---- what there is

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def place(self) -> Place:
        """Some memory; two of these may overlap."""
        first = self.random.randrange(ARRAY - 2)
        count = self.random.randint(1, ARRAY - first)
        row = self.random.randrange(4)
        base = self.pick("a", "p", "o")
        choices = [
            *(Place(name, 1, name) for name in SCALARS),
            Place(f"{base}[{first};{count}]", count, f"{base}[{first} + {{}}]"),
            Place(f"{base}[{first}:{first + count - 1}]", count, f"{base}[{first} + {{}}]"),
            Place(f"{base}[{first}]", 1, f"{base}[{first}]"),
            Place(f"[{ARRAY}]p", ARRAY, "p[{}]"),
            Place("a", ARRAY, "a[{}]"),
            Place("a[:]", ARRAY, "AT(a, {})"),
            Place(f"m[{row}]", 6, f"m[{row}][{{}}]"),
            Place("rec.u", 1, "rec.u"),
            Place("rec.v", 4, "rec.v[{}]"),
            Place("rec", 4, "rec.v[{}]"),
        ]
        if self.is_cxx:
            index = self.random.randrange(6)
            choices += [Place(f"v[{index}]", 1, f"v[{index}]"), Place("t", 4, "t[{}]")]
            choices += [Place("ref", 1, "ref"), Place(f"t[{index % 4}]", 1, f"t[{index % 4}]")]
        return self.random.choice(choices)

    def value(self, places: list[Place], depth: int = 2) -> str:
        """A number from copies and from elements of these places."""
        if depth == 0 or self.random.random() < 0.3:
            if places and self.random.random() < 0.6:
                place = self.random.choice(places)
                element = place.at(self.random.randrange(place.count))
                return self.pick(element, f"value_of(&{element})", f"TWICE({element})")
            return self.pick("k0", "k1", "k2", f"{self.random.randrange(100)}u")
        left, right = (self.value(places, depth - 1) for _ in range(2))
        return self.pick(
            f"({left} + {right})", f"({left} ^ {right})", f"({left} * {right})",
            f"(({left}) % 7u ? {right} : 5u)", f"({left} - (u32)({right}))",
        )  # fmt: skip

    # ---- tasks

    def extras(self) -> str:
        return self.pick("", "", "", " priority(2)", " untied", " if (k0 % 2u)", " if (0)")

    def accesses(self) -> tuple[str, list[Place], list[Place], bool]:
        """The clauses, what is read and what is written; whether it must be written throughout."""
        to = self.place()
        reads = [self.place() for _ in range(self.random.choice((0, 1, 1, 2)))]
        mode = self.pick("inout", "inout", "out")
        is_record = to.item.startswith("rec")
        is_out = mode == "out" and not is_record and not reads
        clauses = f"{'out' if is_out else 'inout'}({to.item})"
        for place in reads:
            clauses += self.pick(f" in({place.item})", f", input({place.item})")
        return clauses, reads if is_out else [*reads, to], [to], is_out

    def body(self, reads: list[Place], to: Place, is_out: bool) -> list[str]:
        value = self.value(reads)
        if is_out or self.random.random() < 0.4:
            loop = self.pick(f"EACH(j, {to.count})", f"for (int j = 0; j < {to.count}; ++j)")
            sign = "=" if is_out else self.pick("=", "+=", "^=")
            return [f"{loop} {to.at('j')} {sign} {value} + (u32)j;"]
        element = to.at(self.random.randrange(to.count))
        return [
            self.pick(
                f"{element} = {value};", f"{element} += {value};", f"STEP({element}, {value});",
                f"if (k1 > 3u) {element} = {value}; else {element} ^= 1u;", f"{element}++;",
            )
        ]  # fmt: skip

    def block(self) -> list[str]:
        clauses, reads, (to,), is_out = self.accesses()
        body = self.body(reads, to, is_out)
        for _ in range(self.random.randrange(2)):
            body += self.body([*reads, to], to, False)
        if self.random.random() < 0.3:
            body = [f"u32 kept = {self.value(reads, 1)};", "{", "u32 k2 = kept;", *body, "}"]
        if self.random.random() < 0.2:
            body = [
                "switch (k0 % 3u) {",
                "case 0u: {",
                *body,
                "} break;",
                "default: {",
                *body,
                "} }",
            ]
        return [f"#pragma omp task {clauses}{self.extras()}", "{", *body, "}"]

    def statement(self) -> list[str]:
        clauses, reads, (to,), is_out = self.accesses()
        return [f"#pragma omp task {clauses}{self.extras()}", *self.body(reads, to, is_out)]

    def call(self) -> list[str]:
        to, source = self.place(), self.place()
        first, extra = f"&{to.at(0)}", self.extras()
        inout = f"#pragma omp task inout({to.item})"
        value = self.value([source, to])
        both = f"{inout} in({source.item}){extra}"
        if to.item == source.item:
            both = f"{inout}{extra}"
        return self.random.choice(
            [
                [f"{both}", f"add({first}, {value});"],
                [f"{both}", f"add_first({value}, {first});"],
                [f"{inout}{extra}", f"scale({first}, {to.count}, {self.value([], 1)});"],
                [f"{inout}{extra}", f"fill({first}, {to.count}, {self.value([], 1)});"],
                [f"{both}", f"fold({first}, &{source.at(0)}, {source.count});"],
                ["#pragma omp task inout(rec)", f"change_record(&rec, {self.value([], 1)});"],
            ]
        )

    def declared(self) -> list[str]:
        array, number = self.pick("a", "p", "o"), self.random.randint(1, 8)
        return [
            self.pick(
                f"declared_scale({array}, {number}, {self.value([], 1)});",
                f"declared_fold({array}, {number}, &{self.pick(*SCALARS)});",
                f"for (int i = 0; i < 4; ++i) declared_scale({array} + 2 * i, 2, k1 + (u32)i);",
            )
        ]

    def array_parameter(self) -> list[str]:
        return [f"scale_array({self.pick('a', 'p', 'o')}, {self.value([], 1)});"]

    def loop(self) -> list[str]:
        array, scalar = self.pick("a", "p", "o"), self.pick(*SCALARS)
        return [
            f"for (int i = 0; i < {self.random.randint(1, 8)}; ++i) {{",
            f"#pragma omp task inout({array}[i]) in({scalar})",
            f"  {array}[i] = {array}[i] * 3u + {scalar} + (u32)i + k0;",
            "  k0 += 1u;",
            "}",
        ]

    def chain(self) -> list[str]:
        array = self.pick("a", "p", "o")
        return [
            "for (int i = 1; i < 8; ++i)",
            f"#pragma omp task in({array}[i - 1]) inout({array}[i])",
            self.pick(
                f"  {array}[i] += {array}[i - 1] * k1;", f"  add(&{array}[i], {array}[i - 1]);"
            ),
        ]

    def task_loop(self) -> list[str]:
        array, other = self.random.sample(("a", "p", "o"), 2)
        loop = self.pick("omp taskloop nogroup", "myrmics loop", "omp taskloop")
        size = self.pick("", " grainsize(2)", " num_tasks(3)", " grainsize(1)")
        reads, use = self.random.choice(
            (
                (f"in({array}[i - 1])", f"{array}[i - 1] * k2"),
                (f"in({other}[i - 1;2])", f"{other}[i - 1] + {other}[i] * k1"),
                (f"in({other}[8 - i])", f"{other}[8 - i] + k0"),
                ("", "k0"),
            )
        )
        heads = ("int i = 1; i < 8; ++i", "int i = 1; i <= 7; i += 2", "int i = 7; i > 0; --i")
        return [
            f"#pragma {loop} {reads} inout({array}[i]){size}",
            f"for ({self.pick(*heads)}) {array}[i] = {array}[i] * 3u + {use} + (u32)i;",
        ]

    def graph(self) -> list[str]:
        form = self.random.choice((self.loop, self.chain, self.task_loop))
        return [
            f"for (int step = 0; step < {self.random.randint(2, 5)}; ++step) {{",
            f"#pragma omp taskgraph{self.pick('', ' nogroup')}",
            "{",
            *form(),
            "}",
            "}",
        ]

    def nested(self) -> list[str]:
        array = self.pick("a", "p", "o")
        first, count = self.random.randrange(4), self.random.randint(1, 4)
        wait = self.random.choice(
            (["#pragma omp taskwait", f"  {array}[0] += {array}[7];"], [], [])
        )
        return [
            f"#pragma omp task inout([8]{array})" if array != "a" else "#pragma omp task inout(a)",
            "{",
            f"  {array}[{first}] += k0;",
            f"#pragma omp task inout({array}[{first};{count}])",
            f"  scale({array} + {first}, {count}, k1);",
            "  for (int i = 0; i < 8; i += 2) {",
            f"#pragma omp task inout({array}[i]) in({array}[i + 1])",
            f"    {array}[i] += {array}[i + 1] + (u32)i * k2;",
            "  }",
            *wait,
            "}",
        ]

    def recursion(self) -> list[str]:
        array = self.pick("a", "p", "o")
        return [f"#pragma omp task inout([8]({array}))", f"split({array}, 8, k2);"]

    def tiles(self) -> list[str]:
        i, j = self.random.randrange(3), self.random.randrange(4)
        h, w = self.random.randint(1, 4 - i), self.random.randint(1, 6 - j)
        return [
            f"#pragma omp task inout(m[{i};{h}][{j};{w}])",
            f"for (int r = {i}; r < {i + h}; ++r)",
            f"  for (int c = {j}; c < {j + w}; ++c) m[r][c] = m[r][c] * 3u + (u32)(r * c) + k1;",
        ]

    def myrmics(self) -> list[str]:
        target = self.pick("o", "p")
        if target == "o":
            return ["#pragma myrmics task inout(o)", f"scale(o, 8, {self.value([], 1)});"]
        return ["#pragma myrmics task inout(p)", f"add(p, {self.value([], 1)});"]

    def region(self) -> list[str]:
        return [
            "{",
            "  myr_region r = myr_region_new(region, 0);",
            "  u32 *all[3], result = 0u, *to = &result;",
            "  for (int i = 0; i < 3; ++i) {",
            "    u32* one = all[i] = (u32*)myr_alloc(sizeof *one, r);",
            "#pragma myrmics task out(one)",
            f"    put(one, (u32)i + {self.value([], 1)});",
            "  }",
            "  u32* const* list = all;",
            "#pragma myrmics task in(region r) safe(list) inout(to)",
            "  sum_region(r, list, 3, to);",
            "#pragma myrmics wait",
            "  k0 += result;",
            "  myr_region_free(r);",
            "}",
        ]

    # ---- the rest of what main does

    def wait(self) -> list[str]:
        scalar = self.pick(*SCALARS)
        return ["#pragma omp taskwait", f"{scalar} += k2;", "a[3] ^= x1;"]

    def wait_on(self) -> list[str]:
        scalar = self.pick(*SCALARS)
        return [
            f"#pragma omp taskwait {self.pick('on', 'inout')}({scalar})",
            f"{scalar} = {scalar} * 3u + k0;",
            f"k1 += {scalar};",
        ]

    def copy_changes(self) -> list[str]:
        return [f"{self.pick('k0', 'k1', 'k2')} {self.pick('+=', '^=')} {self.value([], 1)};"]

    def scope(self) -> list[str]:
        name = self.pick("x0", "a", "local")
        inner = [f"u32 {name}[4] = {{k0, k1}};" if name == "a" else f"u32 {name} = k2;"]
        place = Place(name, 4 if name == "a" else 1, f"{name}[{{}}]" if name == "a" else name)
        inner += [f"#pragma omp task inout({name})", *self.body([place], place, False)]
        inner += [f"#pragma omp task inout({name}, rec)", f"rec.u += {place.at(0)};"]
        return ["{", *(f"  {line}" for line in inner), "#pragma omp taskwait", "}"]

    # ---- C++

    def container(self) -> list[str]:
        i, j = self.random.randrange(6), self.random.randrange(6)
        both = f"inout(v[{i}]) in(v[{j}])" if i != j else f"inout(v[{i}])"
        return self.random.choice(
            [
                [f"#pragma omp task {both}", f"by_reference(v[{i}], v[{j}]);"],
                [f"#pragma omp task {both}", f"add(&v[{i}], v.at({j}));"],
                [f"#pragma omp task {both}", f"v[{i}] += v[{j}] * k0;"],
                ["#pragma omp task inout(t)", "for (auto& e : t) e = e * 3u + k1;"],
                ["#pragma omp task inout(ref)", "ref = ref * 5u + k2;"],
                ["#pragma omp task inout(ref) in(x0)", "by_reference(ref, x0);"],
            ]
        )

    def template(self) -> list[str]:
        name = self.pick(*SCALARS)
        return self.random.choice(
            [
                [f"#pragma omp task inout({name})", f"template_add({name}, k0);"],
                [f"#pragma omp task inout({name})", f"template_add<u32>({name}, 3u);"],
                [f"template_block({name}, k1);"],
                [f"template_array<u32, {self.random.randint(1, 8)}>({self.pick('a', 'p', 'o')});"],
            ]
        )

    def object(self) -> list[str]:
        statement = self.pick("ad.add(k0);", "ad += k1;", "ad.sum = ad.sum * 3u + k2;")
        return [f"#pragma omp task inout({self.pick('ad', 'ad.sum')})", statement]

    def range_for(self) -> list[str]:
        return [
            f"for (u32& e : {self.pick('v', 't')}) {{",
            "#pragma omp task inout(e)",
            f"  e = e * 3u + {self.value([], 1)};",
            "}",
        ]
