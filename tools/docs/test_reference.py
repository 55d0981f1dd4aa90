# SPDX-License-Identifier: Apache-2.0
"""Does the reference have what the headers declare for users, and nothing else?"""

import unittest
from pathlib import Path

from docs.declarations import entries_of_c, entries_of_cpp, name_of
from docs.reference import escaped, pages, prose, section

CPP = """#pragma once
namespace myr::inline v0 {

namespace detail {
// Hidden.
class Hidden {};
}  // namespace detail

// Waits for x; see docs/semantics.md, Waits.
//   wait(in(x));
template <class T, detail::IsTime D>
  requires(sizeof(T) > 1 &&
           !detail::Wrong<T>)
[[nodiscard]] inline bool wait(const D& d, T&& x,
                               const void* site = __builtin_source_location()) {
  return "}" != x;
}
MYR_REFUSED("wait for what?")
inline void wait();

// A handle.
class Handle : public Base {
 public:
  Handle() noexcept : id_(0) {}
  Handle(const Handle&) = delete;
  int size() const;
  bool is_empty() const;

  // Frees it.
  void free() const { go({1}); }

 private:
  // Hidden, too.
  int id_;
};

void undocumented();

}  // namespace myr::inline v0
"""
C = """/* SPDX */
#ifndef X_H
MYR_API void* myr_alloc_at(size_t bytes, const myr_site* site);
MYR_API void* myr_alloc(size_t bytes);
/* Allocates
 * an object. */
#define myr_alloc(bytes) myr_alloc_at((bytes), MYR_SITE_)
/* What a task is. */
typedef void (*myr_function)(const myr_access* args);
/* Modes. */
enum {
  MYR_IN = 1, /* reads */
};
/* Starts it. */
MYR_API int myr_init(void);
"""


class Declarations(unittest.TestCase):
    def test_cpp(self) -> None:
        wait, handle = entries_of_cpp(CPP)
        self.assertEqual(
            wait.declarations, ["template <class T, class D>\nbool wait(const D& d, T&& x)"]
        )
        self.assertEqual(handle.declarations, ["class Handle : public Base"])
        members = [member.declarations for member in handle.members]
        self.assertEqual(
            members, [["int size() const", "bool is_empty() const"], ["void free() const"]]
        )

    def test_c(self) -> None:
        entries = entries_of_c(C)
        names = [name_of(entry.declarations[0]) for entry in entries]
        self.assertEqual(names, ["myr_alloc", "myr_function", "MYR_IN", "myr_init"])
        self.assertEqual(entries[0].declarations, ["void* myr_alloc(size_t bytes)"])
        self.assertEqual(entries[0].comment, "Allocates\nan object.")


class Text(unittest.TestCase):
    def test_comments_become_markdown(self) -> None:
        wait, handle = entries_of_cpp(CPP)
        self.assertEqual(
            prose(wait.comment),
            "Waits for x; see [Waits](../semantics.md#waits).\n\n```cpp\nwait(in(x));\n```",
        )
        shown = section(handle, "###", "")
        self.assertIn("Base {\n  int size() const;\n  bool is_empty() const;\n};\n", shown)
        self.assertIn("#### Handle::free\n", shown)
        self.assertEqual(prose("a T* of myr_init()"), "a T\\* of `myr_init()`")
        self.assertTrue(section(wait, "###", "").startswith("### wait\n\n```cpp\ntemplate"))

    def test_the_headers_have_pages(self) -> None:
        made = pages(Path(__file__).parents[2] / "include/myr")
        for name, call in (("tasks", "wait_all"), ("c", "myr_spawn"), ("futures", "Scope::wait")):
            self.assertIn(f"# {escaped(call)}\n", made[f"docs/reference/{name}.md"])
        for name, text in made.items():
            self.assertNotIn("detail::", text, name)


if __name__ == "__main__":
    unittest.main()
