// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "translate/driver/command_line.hpp"
#include "translate/driver/includes.hpp"
#include "translate/driver/predefined.hpp"
#include "translate/driver/process.hpp"

using namespace myr::translate;
using Words = std::vector<std::string>;

namespace {

Command parsed(const Words& words) {
  auto command = parse_command_line(words, "cc");
  REQUIRE(command);
  return *command;
}

}  // namespace

TEST_CASE("sources are told from what follows an option, and by -x") {
  const Command command = parsed(
      {"-o", "out.c", "-I", "dir", "a.c", "b.cpp", "x.o", "-x", "c++", "c.txt", "-xnone", "d.s"});
  REQUIRE(command.inputs.size() == 3);
  CHECK(command.words[command.inputs[0].word] == "a.c");
  CHECK(command.inputs[1].language == Language::Cxx);
  CHECK(command.words[command.inputs[2].word] == "c.txt");
  CHECK(command.inputs[2].language == Language::Cxx);
  CHECK(command.has_objects);
  CHECK(command.links);
  CHECK(*command.output == "out.c");
}

TEST_CASE("what does not link is known") {
  for (const char* option : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}) {
    CHECK_FALSE(parsed({option, "a.c"}).links);
  }
  CHECK_FALSE(parsed({"-v"}).links);
  CHECK(parsed({"a.o"}).links);
}

TEST_CASE("myrcc's own options are not the compiler's") {
  const Command command = parsed({"--wrap", "ccache", "/usr/bin/gcc", "-c", "a.c", "--emit"});
  CHECK(command.compiler == Words{"ccache", "/usr/bin/gcc"});
  CHECK(command.words == Words{"-c", "a.c"});
  CHECK(command.own == Command::Own::Emit);
  CHECK(parsed({"--cc=clang", "a.c"}).compiler == Words{"clang"});
  CHECK(parsed({"--main=run", "a.c"}).main_function == "run");
  CHECK(parsed({"--main", "a.c"}).main_function.empty());
  CHECK_FALSE(parse_command_line({"--cc"}, "cc"));
}

TEST_CASE("only options that change how a source reads reach Clang") {
  const Command command = parsed({"-O2", "-DX=1", "-I", "a", "-Ib", "-std=c99", "-Wall", "-flto",
                                  "-include", "c.h", "-march=native", "-fopenmp", "-Wl,-x", "a.c"});
  CHECK(parsing_options(command) == Words{"-DX=1", "-I", "a", "-Ib", "-std=c99", "-include", "c.h",
                                          "-march=native", "-D_OPENMP=201511"});
  CHECK(macro_options(command) ==
        Words{"-O2", "-DX=1", "-std=c99", "-flto", "-march=native", "-fopenmp"});
}

TEST_CASE("Clang reads with the macros of the compiler") {
  const auto has = [](const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const Words gcc =
      options_from("#define __GNUC__ 12\n#define F(a, b) a b\n#define E\n", Language::C);
  for (const char* word : {"-D__GNUC__=12", "-DF(a, b)=a b", "-DE=", "-U__clang__"}) {
    CHECK(has(gcc, word));
  }
  const Words clang = options_from("#define __clang__ 1\n", Language::C);
  CHECK(clang == Words{"-D__clang__=1"});
  CHECK(options_from("", Language::C).empty());
}

TEST_CASE("headers with pragmas become part of the source, others stay") {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    REQUIRE(write_file(folder.path() / name, text));
  };
  write("plain.h", "int plain;\n");
  write("tasks.h",
        "#pragma once\n#include \"plain.h\"\n#pragma omp task in(*p)\nvoid f(int* p);\n");
  write("both.h", "#include \"tasks.h\"\n#include \"tasks.h\"\n");
  write("branch.h", "#if A\n#include \"tasks.h\"\n#endif\n#include \"tasks.h\"\n");
  const std::string path = (folder.path() / "main.c").string();
  const Command command = parsed({"-c", path});
  CHECK_FALSE(load_source(path, "#include \"plain.h\"\nint x;\n", command).relevant);
  const Loaded loaded = load_source(path, "#include \"both.h\"\nint x;\n", command);
  CHECK(loaded.relevant);
  CHECK(loaded.included.size() == 2);
  const std::string& text = loaded.source.text();
  CHECK(text.find("void f(") == text.rfind("void f("));
  CHECK(text.find("#include \"plain.h\"") != std::string::npos);
  const Position x = loaded.source.position(text.find("int x"));
  CHECK(x.path == path);
  CHECK(x.line == 2);
  CHECK(loaded.source.position(text.find("void f(")).line == 4);
  // Twice, if the preprocessor is to decide which of them counts.
  const Loaded branch = load_source(path, "#include \"branch.h\"\nint x;\n", command);
  const std::string& both = branch.source.text();
  const std::size_t second = both.rfind("void f(");
  CHECK(both.find("void f(") != second);
  CHECK(both.rfind("#ifndef MYRCC_ONCE_", second) > both.find("void f("));
}

TEST_CASE("headers that include each other again and again do not fill the memory") {
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "#include \"h" + std::to_string(i + 1) + ".h\"\n";
    const std::string guard = "H" + std::to_string(i);
    REQUIRE(
        write_file(folder.path() / ("h" + std::to_string(i) + ".h"),
                   "#ifndef " + guard + "\n#define " + guard + "\n" + next + next + "#endif\n"));
  }
  REQUIRE(write_file(folder.path() / "h40.h", "#pragma once\n#pragma omp taskwait\n"));
  const std::string path = (folder.path() / "main.c").string();
  const Loaded loaded = load_source(path, "#include \"h0.h\"\n", parsed({"-c", path}));
  CHECK(loaded.included.size() == 41);
  CHECK(loaded.source.text().size() < 20000);
  const Loaded branch =
      load_source(path, "#if A\n#include \"h0.h\"\n#endif\n", parsed({"-c", path}));
  CHECK(branch.source.text().find("too often") != std::string::npos);
}

TEST_CASE("only what may be a pragma of tasks makes a source one to translate") {
  const Command command = parsed({"-c", "-DASKED=omp taskwait", "a.c"});
  const Command plain = parsed({"-c", "a.c"});
  const auto relevant = [&](const char* text) { return load_source("a.c", text, plain).relevant; };
  CHECK_FALSE(relevant("_Pragma(\"GCC poison x\") int x;\n"));
  CHECK(relevant("_Pragma(\"omp taskwait\") int x;\n"));
  CHECK_FALSE(relevant("#define P(x) _Pragma(#x)\nP(GCC poison y) int omp_x;\n"));
  CHECK(relevant("#define P(x) _Pragma(#x)\nP(omp taskwait) int x;\n"));
  CHECK(relevant("#define T \"omp taskwait\"\n#define P(x) _Pragma(x)\nP(T) int x;\n"));
  const char* asked = "#define P(x) _Pragma(#x)\n#define Q(x) P(x)\nQ(ASKED) int x;\n";
  CHECK(load_source("a.c", asked, command).relevant);
  CHECK_FALSE(relevant(asked));
  CHECK_FALSE(relevant("#define H <stdio.h>\n#include H\n"));
  CHECK(relevant("#define H <a.h>\n#undef H\n#define H <b.h>\n#include H\n"));
}
