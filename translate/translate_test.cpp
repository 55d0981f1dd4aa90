// SPDX-License-Identifier: Apache-2.0
//
// Whole translations, in memory. What they mean when they run is tried in tests/translate.
#include "translate/translate.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace myr::translate;

namespace {

Translation translated(const std::string& text, Language language = Language::C) {
  const Source source(language == Language::C ? "a.c" : "a.cpp", text);
  ReadOptions options;
  options.language = language;
  options.arguments = {"-x", language == Language::C ? "c" : "c++"};
  return translate(source, options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kWork = "void work(double* a, int n);\n";

}  // namespace

TEST_CASE("a source without pragmas stays as it is") {
  const Translation translation = translated(kWork + "int x;");
  REQUIRE(translation.text);
  CHECK(*translation.text == "#line 1 \"a.c\"\n" + kWork + "int x;");
}

TEST_CASE("a call stays in its line and columns, and its pragma makes the task") {
  const Translation translation =
      translated(kWork + "void f(double* a) {\n#pragma omp task in([4]a)\n  work(a, 4);\n}\n");
  REQUIRE(translation.text);
  CHECK(has(*translation.text,
            "__typeof__(double *) myrcc_a0_0 =\n#line 4 \"a.c\"\n       a; "
            "__typeof__(int) myrcc_a1_0 =\n#line 4 \"a.c\"\n          4; "));
  CHECK(has(*translation.text,
            "_Pragma(\"omp task firstprivate(myrcc_a0_0, myrcc_a1_0)\") { "
            "(void)work(myrcc_a0_0, myrcc_a1_0); }"));
  CHECK(has(*translation.text, "{\"a.c\", \"f\", 4, 3}"));
}

TEST_CASE("a block stays where it is, behind what hands its accesses over") {
  const Translation translation =
      translated("void f(int n) {\n  int x;\n#pragma omp task out(x)\n  x = n;\n}\n");
  REQUIRE(translation.text);
  CHECK(has(*translation.text, "myrcc_accesses_0[0] = myr_piece(&(x), sizeof(x), MYR_OUT); "));
  CHECK(has(*translation.text,
            "myr_hand_over(&myrcc_next_0); { _Pragma(\"omp task firstprivate(n) shared(x)\") "));
  CHECK(has(*translation.text, "\n#line 4 \"a.c\"\n  x = n; }"));
}

TEST_CASE("what is to be done when the task is ready stands before its statement") {
  const Translation translation = translated(
      "void g(int);\nvoid f(int n, int m) {\n#pragma oss task onready(g(m))\n  g(n);\n}\n");
  REQUIRE(translation.text);
  CHECK(has(*translation.text, "omp task firstprivate(n, m)"));
  CHECK(has(*translation.text, "{ (void)(g(m)); "));
}

TEST_CASE("in C++ the task also knows where its exceptions go") {
  const Translation translation = translated(
      "void f(int n) {\n  int x;\n#pragma omp task out(x)\n  x = n;\n}\n", Language::Cxx);
  REQUIRE(translation.text);
  CHECK(has(*translation.text,
            "_Pragma(\"omp task firstprivate(n, myrcc_fails_0) shared(x)\") { MYR_PRAGMA_TRY { "));
  CHECK(has(*translation.text, "\n#line 4 \"a.cpp\"\n  x = n; } MYR_PRAGMA_CATCH("));
}

TEST_CASE("messages about a pragma's names point into the pragma") {
  const Translation translation = translated(
      kWork +
      "void f(double* a) {\n#pragma omp task in([4]a) \\\n    out(nothing)\n  work(a, 4);\n}\n");
  CHECK_FALSE(translation.text);
  CHECK(translation.code_refused);
  CHECK(has(translation.messages,
            "a.c:4:9: error: use of undeclared identifier 'nothing'\n"
            "    4 |     out(nothing)\n      |         ^~~~~~~\n"));
}

TEST_CASE("pragmas that the preprocessor leaves out are not even read") {
  const Translation translation = translated(
      kWork + "void f(double* a) {\n#if 0\n#pragma omp task what(\n#endif\n  work(a, 1);\n}\n");
  REQUIRE(translation.text);
  CHECK(has(*translation.text, "#error myrcc and the compiler disagree"));
}

TEST_CASE("a main function of numbers gets a main()") {
  const Source source("run.c", "void run(int a, long b) {}\n");
  ReadOptions options{Language::C, {"-x", "c"}, "run"};
  const Translation translation = translate(source, options);
  REQUIRE(translation.text);
  CHECK(translation.has_main);
  CHECK(has(*translation.text, "{\"a\", \"b\", NULL}"));
  options.main_function = "absent";
  CHECK_FALSE(translate(source, options).has_main);
}

TEST_CASE("tasks in any order are told to the runtime as such") {
  const auto translation = translated(
      kWork +
      "void f(double* a) {\n#pragma omp task commutative([4]a)\n  work(a, 4);\n"
      "#pragma omp task concurrent(a[0;4])\n  work(a, 4);\n"
      "#pragma omp task depend(mutexinoutset: a[0]) depend(inoutset: a[1])\n  work(a, 4);\n}\n");
  REQUIRE(translation.text);
  for (const char* mode : {"MYR_INOUT | MYR_COMMUTATIVE)", "MYR_INOUT | MYR_CONCURRENT)"}) {
    const std::size_t first = translation.text->find(mode);
    REQUIRE(first != std::string::npos);
    CHECK(translation.text->find(mode, first + 1) != std::string::npos);
  }
}
