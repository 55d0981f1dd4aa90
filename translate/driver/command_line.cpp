// SPDX-License-Identifier: Apache-2.0
//
// The command line: see command_line.hpp.

#include "translate/driver/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "translate/driver/process.hpp"

namespace myr::translate {
namespace {

// Options of gcc and clang whose value is the next word.
constexpr std::array<std::string_view, 36> kWithValue = {"-o",
                                                         "-x",
                                                         "-I",
                                                         "-D",
                                                         "-U",
                                                         "-include",
                                                         "-imacros",
                                                         "-isystem",
                                                         "-iquote",
                                                         "-idirafter",
                                                         "-iprefix",
                                                         "-iwithprefix",
                                                         "-isysroot",
                                                         "-imultilib",
                                                         "-L",
                                                         "-l",
                                                         "-MF",
                                                         "-MT",
                                                         "-MQ",
                                                         "-Xlinker",
                                                         "-Xpreprocessor",
                                                         "-Xassembler",
                                                         "-Xclang",
                                                         "-T",
                                                         "-u",
                                                         "-z",
                                                         "-e",
                                                         "-A",
                                                         "-B",
                                                         "-aux-info",
                                                         "--param",
                                                         "-dumpbase",
                                                         "-dumpdir",
                                                         "-dumpbase-ext",
                                                         "-wrapper",
                                                         "-target"};

// The options that matter for parsing: with the value in the next word, or in the same one.
constexpr std::array<std::string_view, 9> kParsingWithValue = {
    "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot"};
constexpr std::array<std::string_view, 11> kParsing = {
    "-std=",           "-ansi",           "-nostdinc",       "-nostdinc++",
    "-pthread",        "-fsigned-char",   "-funsigned-char", "-fshort-enums",
    "-fms-extensions", "-fno-exceptions", "-fno-rtti"};

// The options that may change which macros the compiler predefines, and exceptions among them that
// do not.
constexpr std::array<std::string_view, 8> kMacros = {"-D", "-U",    "-O",    "-f",
                                                     "-m", "-std=", "-ansi", "-pthread"};
constexpr std::array<std::string_view, 4> kNoMacros = {"-fsyntax-only", "-fdump", "-fplugin",
                                                       "-fdiagnostics"};

template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Language> language_of(std::string_view file) {
  static const std::map<std::string_view, Language> endings = {
      {".c", Language::C},     {".cc", Language::Cxx},  {".cp", Language::Cxx},
      {".cxx", Language::Cxx}, {".cpp", Language::Cxx}, {".CPP", Language::Cxx},
      {".c++", Language::Cxx}, {".C", Language::Cxx}};
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto found = endings.find(file.substr(dot));
  if (found == endings.end()) return std::nullopt;
  return found->second;
}

// The words in a file that a word @FILE stands for: separated by blanks; quotes and backslashes as
// in gcc's.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && quote == 0) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\\' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return words;
}

// `depth`: files may name others, but not for ever.
std::vector<std::string> expanded(const std::vector<std::string>& words, int depth = 0) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const auto text = word.starts_with('@') && depth < 20
                          ? read_file(word.substr(1))
                          : base::Result<std::string>(base::Error{});
    if (!text) {
      all.push_back(word);  // as the compiler does
      continue;
    }
    const std::vector<std::string> more = expanded(words_of(*text), depth + 1);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

class CommandParser {
 public:
  CommandParser(std::vector<std::string> words, const std::string& compiler)
      : words_(std::move(words)) {
    command_.compiler = {compiler};
  }

  base::Result<Command> run() {
    while (at_ < words_.size()) {
      const std::string word = words_[at_++];
      if (!own(word)) compilers(word);
      if (!error_.empty()) return base::Error{error_};
    }
    if (command_.inputs.empty() && !command_.has_objects) command_.links = false;
    return std::move(command_);
  }

 private:
  bool own(const std::string& word) {
    if (word == "--help") {
      command_.own = Command::Own::Help;
    } else if (word == "--version") {
      command_.own = Command::Own::Version;
    } else if (word == "--emit") {
      command_.own = Command::Own::Emit;
    } else if (word == "--main" || word.starts_with("--main=")) {
      command_.makes_main = true;
      command_.main_function = word.substr(std::min(word.size(), sizeof "--main"));
    } else if (word == "--cc") {
      command_.compiler = {value("--cc")};
    } else if (word.starts_with("--cc=")) {
      command_.compiler = {word.substr(5)};
    } else if (word == "--wrap") {
      command_.compiler = {value("--wrap")};
      while (is_launcher(command_.compiler.back())) command_.compiler.push_back(value("--wrap"));
    } else {
      return false;
    }
    return true;
  }

  static bool is_launcher(std::string_view word) {
    word = word.substr(word.rfind('/') + 1);
    return word == "ccache" || word == "sccache" || word == "distcc";
  }

  std::string value(std::string_view option) {
    if (at_ < words_.size()) return words_[at_++];
    error_ = fmt::format("{} needs a value", option);
    return "";
  }

  void compilers(const std::string& word) {
    const std::size_t index = command_.words.size();
    command_.words.push_back(word);
    if (word == "-" || !word.starts_with("-")) return input(word, index);
    std::string value;
    if (is_one_of(word, kWithValue) && at_ < words_.size()) {
      value = words_[at_++];
      command_.words.push_back(value);
    }
    if (word == "-o") command_.output = value;
    if (word.starts_with("-o") && word.size() > 2) command_.output = word.substr(2);
    if (word == "-x") language_ = value;
    if (word.starts_with("-x") && word.size() > 2) language_ = word.substr(2);
    if (word == "-c" || word == "-S" || word == "-E" || word == "-fsyntax-only") {
      command_.links = false;
    }
    if (word == "-M" || word == "-MM") {
      command_.links = false;
      command_.only_lists = true;
    }
    if (word == "-MD" || word == "-MMD") command_.writes_depfile = true;
    if (word == "-MF") command_.depfile = value;
    if (word.starts_with("-MF") && word.size() > 3) command_.depfile = word.substr(3);
    if (word.starts_with("-l") || word.starts_with("-Wl,")) command_.has_objects = true;
  }

  void input(const std::string& word, std::size_t index) {
    const bool named = !language_.empty() && language_ != "none";
    if (named && (language_ == "c" || language_ == "c++")) {
      command_.inputs.push_back({index, language_ == "c" ? Language::C : Language::Cxx});
    } else if (const auto language = language_of(word); language && !named) {
      command_.inputs.push_back({index, *language});
    } else {
      command_.has_objects = true;
    }
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string language_;
  std::string error_;
  Command command_;
};

}  // namespace

base::Result<Command> parse_command_line(const std::vector<std::string>& words,
                                         const std::string& compiler) {
  return CommandParser(expanded(words), compiler).run();
}

base::Result<Command> command_of(int argc, char** argv, const char* built_with) {
  const char* chosen = std::getenv("MYR_CC");
  return parse_command_line(std::vector<std::string>(argv + 1, argv + argc),
                            chosen == nullptr ? built_with : chosen);
}

std::vector<std::string> parsing_options(const Command& command) {
  std::vector<std::string> options;
  const std::vector<std::string>& words = command.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_one_of(word, kWithValue)) {
      if (is_one_of(word, kParsingWithValue) && i + 1 < words.size()) {
        options.push_back(word);
        options.push_back(words[i + 1]);
      }
      ++i;
      continue;
    }
    const bool machine = word.starts_with("-m") && word != "-mtune=native";
    const auto begins = [&](std::string_view option) { return word.starts_with(option); };
    if (machine || std::any_of(kParsing.begin(), kParsing.end(), begins) ||
        std::any_of(kParsingWithValue.begin(), kParsingWithValue.end(), begins)) {
      options.push_back(word);
    }
  }
  if (obeys_openmp(command)) options.emplace_back("-D_OPENMP=201511");
  return options;
}

std::vector<std::string> macro_options(const Command& command) {
  std::vector<std::string> options;
  const std::vector<std::string>& words = command.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto begins = [&](std::string_view option) { return word.starts_with(option); };
    if (is_one_of(word, kWithValue)) {
      if ((word == "-D" || word == "-U") && i + 1 < words.size()) {
        options.push_back(word);
        options.push_back(words[i + 1]);
      }
      ++i;
    } else if (std::any_of(kMacros.begin(), kMacros.end(), begins) &&
               std::none_of(kNoMacros.begin(), kNoMacros.end(), begins)) {
      options.push_back(word);
    }
  }
  return options;
}

bool is_standard_of_other(std::string_view option, Language language) {
  const bool cxx = option.find("++") != std::string_view::npos;
  return option.starts_with("-std=") && cxx != (language == Language::Cxx);
}

bool obeys_openmp(const Command& command) {
  bool obeys = false;
  for (const std::string& word : command.words) {
    if (word == "-fopenmp" || word.starts_with("-fopenmp=")) obeys = true;
    if (word == "-fno-openmp") obeys = false;
  }
  return obeys;
}

std::string help_text() {
  return R"(Usage: myrcc [OPTIONS] FILE...

Compiles C and C++ programs whose tasks are marked by pragmas (#pragma myrmics ..., #pragma omp
task ...), for Myrmidon's machines. Takes the options of your compiler and passes them on:

    myrcc -O2 -o jacobi jacobi.c
    MYR_ON=smp:4 ./jacobi

Its own options:
  --cc COMPILER    the compiler to use; default: the variable MYR_CC, or the one it was built with
  --emit           print the translation and compile nothing
  --main[=NAME]    make a main() that calls NAME with the numbers on its command line; for programs
                   written for Myrmics. Default: the function with the name of its source file
  --wrap COMPILER  like --cc, for build systems that put a launcher before the compiler's command:
                   CMAKE_C_COMPILER_LAUNCHER="myrcc;--wrap"
  --help           this text
  --version        the version
)";
}

}  // namespace myr::translate
