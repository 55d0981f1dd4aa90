// SPDX-License-Identifier: Apache-2.0
//
// compile() and emit(): see compile.hpp.

#include "translate/driver/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "translate/driver/includes.hpp"
#include "translate/driver/predefined.hpp"
#include "translate/driver/process.hpp"
#include "translate/translate.hpp"

namespace myr::translate {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

// A source in the place of which the compiler gets another.
struct Replaced {
  std::string user;
  std::string ours;
  std::vector<std::string> included;  // headers that became part of it
};

class Compilation {
 public:
  Compilation(const Command& command, const Toolchain& toolchain)
      : command_(command), toolchain_(toolchain), words_(command.words) {}

  // Returns the translation of an input, or nothing if it needs none. Sets failed_ after an error.
  std::optional<std::string> translation(const Input& input) {
    const std::string& path = command_.words[input.word];
    auto text = read_file(path);
    if (!text) {
      failed_ = true;
      fail(text.error().text);
      return std::nullopt;
    }
    const Loaded loaded = load_source(path == "-" ? "<stdin>" : path, *text, command_);
    if (!loaded.relevant && !command_.makes_main) {
      return path == "-" ? std::optional(*text) : std::nullopt;
    }
    const std::vector<std::string> arguments = clang_arguments(input);
    const bool by_clang =
        std::find(arguments.begin(), arguments.end(), "-U__clang__") == arguments.end();
    const ReadOptions options{
        input.language, arguments, main_function(path), is_quiet(), obeys_openmp(command_),
        obeys_simd(),   by_clang};
    Translation translated = translate(loaded.source, options);
    if (translated.code_refused && path != "-" && compiler_refuses(input)) {
      failed_ = true;
      return std::nullopt;
    }
    std::fputs(translated.messages.c_str(), stderr);
    failed_ = failed_ || !translated.text;
    if (translated.unchanged && path != "-") return std::nullopt;
    included_ = loaded.included;
    found_main_ = found_main_ || translated.has_main;
    return translated.text;
  }

  int run() {
    for (const Input& input : command_.inputs) {
      if (!command_.only_lists) replace(input);
    }
    if (!failed_ && command_.makes_main && !found_main_) {
      return fail("--main: no source defines " + (command_.main_function.empty()
                                                      ? "a function of its own name"
                                                      : command_.main_function + "()"));
    }
    if (failed_) return 1;
    std::vector<std::string> all = command_.compiler;
    all.insert(all.end(), before_.begin(), before_.end());
    all.insert(all.end(), words_.begin(), words_.end());
    const std::vector<std::string> runtime = runtime_options(command_, toolchain_);
    all.insert(all.end(), runtime.begin(), runtime.end());
    const auto status = run_program(all);
    if (!status) return fail(status.error().text);
    mend_depfiles();
    return *status;
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  [[nodiscard]] bool is_quiet() const {
    return std::find(command_.words.begin(), command_.words.end(), "-w") != command_.words.end();
  }
  [[nodiscard]] bool obeys_simd() const {
    return std::find(command_.words.begin(), command_.words.end(), "-fopenmp-simd") !=
           command_.words.end();
  }
  [[nodiscard]] std::string main_function(const std::string& path) const {
    if (!command_.makes_main) return "";
    return command_.main_function.empty() ? fs::path(path).stem().string() : command_.main_function;
  }

  // Whether the compiler does not accept the source as it is; then it has said why.
  bool compiler_refuses(const Input& input) {
    std::vector<std::string> all = command_.compiler;
    all.insert(all.end(),
               {"-fsyntax-only", "-w", "-x", input.language == Language::C ? "c" : "c++"});
    const std::vector<std::string> options = parsing_options(command_);
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("-isystem" + toolchain_.include.string());
    all.push_back(command_.words[input.word]);
    const auto status = run_program(all);
    return status && *status != 0;
  }

  void replace(const Input& input) {
    const auto text = translation(input);
    if (!text) return;
    const std::string& path = command_.words[input.word];
    const fs::path folder = temporary_.path() / fmt::format("{}", replaced_.size());
    const std::string name = path == "-" ? "stdin.c" : fs::path(path).filename().string();
    const fs::path file = folder / name;
    std::error_code failure;
    fs::create_directory(folder, failure);
    if (failure || !write_file(file, *text)) {
      failed_ = true;
      fail(fmt::format("cannot write {}", file.string()));
      return;
    }
    words_[input.word] = file.string();
    replaced_.push_back({path, file.string(), included_});
    use_tasks_of_compiler();
    const std::string user = path.substr(0, path.size() - name.size());
    if (command_.makes_main) {
      before_.push_back("-DSYS_TASK_TABLE=" + main_function(path) + "_task_table");
    }
    before_.push_back("-iquote" + folder_of(path));
    before_.push_back(fmt::format("-ffile-prefix-map={}/={}", folder.string(), user));
  }

  // The compiler cuts the tasks out, but links no library of its own for that. As an option of the
  // preprocessor, it gets to the compiler unless that is given preprocessed text.
  void use_tasks_of_compiler() {
    if (obeys_openmp(command_)) return;
    const bool apart =
        std::any_of(command_.words.begin(), command_.words.end(), [](const std::string& word) {
          return word.starts_with("-save-temps") || word == "-no-integrated-cpp";
        });
    before_.insert(before_.end(), {apart ? "-fopenmp" : "-Wp,-fopenmp", "-U_OPENMP"});
  }

  [[nodiscard]] std::vector<std::string> clang_arguments(const Input& input) {
    std::vector<std::string> all{"-x", input.language == Language::C ? "c" : "c++"};
    std::vector<std::string> options = parsing_options(command_);
    std::erase_if(options, [&](const std::string& option) {
      return is_standard_of_other(option, input.language);
    });
    all.insert(all.end(), options.begin(), options.end());
    const std::vector<std::string> macros = predefined_macros(command_, input.language);
    all.insert(all.end(), macros.begin(), macros.end());
    if (command_.makes_main) {
      all.push_back("-DSYS_TASK_TABLE=" + main_function(command_.words[input.word]) +
                    "_task_table");
    }
    all.push_back("-I" + toolchain_.include.string());
    std::vector<std::string> ask = command_.compiler;
    ask.push_back("-print-file-name=include");
    if (auto folder = output_of(ask)) {  // has omp.h
      while (folder->ends_with('\n')) folder->pop_back();
      all.push_back("-idirafter" + *folder);
    }
    return all;
  }

  // Lists for make name the user's sources.
  void mend_depfiles() const {
    if (!command_.writes_depfile) return;
    for (const Replaced& replaced : replaced_) {
      const std::string stem = fs::path(replaced.user).stem().string();
      std::vector<std::string> candidates{command_.depfile, stem + ".d"};
      if (command_.output) {
        const fs::path output(*command_.output);
        candidates.push_back(fs::path(output).replace_extension(".d").string());
        candidates.push_back(output.string() + "-" + stem + ".d");
      }
      for (const std::string& candidate : candidates) mend_depfile(candidate, replaced);
    }
  }
  static void mend_depfile(const std::string& path, const Replaced& replaced) {
    auto text = path.empty() ? base::Result<std::string>(base::Error{}) : read_file(path);
    if (!text) return;
    std::size_t at = text->find(replaced.ours);
    if (at == std::string::npos) return;
    std::string users = for_make(replaced.user);
    for (const std::string& header : replaced.included) users += " " + for_make(header);
    for (; at != std::string::npos; at = text->find(replaced.ours, at)) {
      text->replace(at, replaced.ours.size(), users);
    }
    if (!write_file(path, *text)) fail(fmt::format("cannot write {}", path));
  }

  static std::string for_make(const std::string& path) {
    std::string text;
    for (const char c : path) {
      if (c == ' ' || c == '#') text += '\\';
      text += c == '$' ? "$$" : std::string(1, c);
    }
    return text;
  }

  const Command& command_;
  const Toolchain& toolchain_;
  TemporaryFolder temporary_;
  std::vector<std::string> words_;
  std::vector<std::string> before_;
  std::vector<Replaced> replaced_;
  std::vector<std::string> included_;  // by the input that was read last
  bool found_main_ = false;
  bool failed_ = false;
};

}  // namespace

int compile(const Command& command, const Toolchain& toolchain) {
  return Compilation(command, toolchain).run();
}

int emit(const Command& command, const Toolchain& toolchain) {
  Compilation compilation(command, toolchain);
  for (const Input& input : command.inputs) {
    const auto text = compilation.translation(input);
    if (compilation.failed()) return 1;
    const auto plain =
        text ? base::Result<std::string>(*text) : read_file(command.words[input.word]);
    std::fputs((*plain).c_str(), stdout);
  }
  return 0;
}

}  // namespace myr::translate
