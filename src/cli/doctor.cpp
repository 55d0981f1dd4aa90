// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/json_text.hpp"
#include "base/variables.hpp"
#include "cli/last_seed.hpp"
#include "cli/launch.hpp"
#include "cli/machines.hpp"
#include "cli/mpi.hpp"
#include "cli/program_file.hpp"
#include "cli/shell.hpp"
#include "cli/tree.hpp"
#include "plat/cpu_mask.hpp"
#include "plat/cpu_quota.hpp"

namespace myr::cli {

namespace {

namespace fs = std::filesystem;

// The line with this place in it; npos: the first.
std::string line_at(std::string_view text, std::size_t place) {
  const std::size_t before = text.substr(0, place).rfind('\n');
  const bool is_first = place == std::string_view::npos || before == std::string_view::npos;
  std::string_view line = text.substr(is_first ? 0 : before + 1);
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line);
}

// The line with a number that a command prints about itself; empty if it is not there or fails.
std::string version_of(const std::string& program) {
  if (path_of(program).empty()) return {};
  const Output output = run_in_shell(shell_word(program) + " --version 2>&1");
  return output.status == 0 ? line_at(output.text, output.text.find_first_of("0123456789"))
                            : std::string();
}

// What stands behind `name` in a file of lines as "name : value".
std::string value_in(const char* file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t value = line.find_first_not_of(" \t:", name.size());
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

std::string limit_text(__rlimit_resource limit) {
  rlimit values{};
  if (getrlimit(limit, &values) != 0 || values.rlim_cur == RLIM_INFINITY) return "unlimited";
  return fmt::format("{} KiB", values.rlim_cur >> 10);
}

void add_computer(Checkup& checkup) {
  utsname system{};
  uname(&system);
  const std::string model = value_in("/proc/cpuinfo", "model name");
  checkup.facts.emplace_back(
      "system", fmt::format("{} {}, {}", system.sysname, system.release, system.machine));
  checkup.facts.emplace_back("processor", model.empty() ? system.machine : model);
  if (auto computer = this_computer()) {
    checkup.facts.emplace_back(
        "computer",
        fmt::format("cores {}, hardware threads {}, packages {}, NUMA nodes {}, memory {}",
                    computer->core_count, computer->thread_count, computer->package_count,
                    computer->numa_node_count, value_in("/proc/meminfo", "MemTotal")));
  }
  const unsigned bound = plat::bound_cpu_count();
  const unsigned usable = plat::usable_cpu_count();
  checkup.facts.emplace_back("this process", fmt::format("may use {} processors", usable));
  if (usable < bound) {
    checkup.notes.push_back(fmt::format(
        "a quota of processor time (control groups) leaves {} of {} processors: the default is {}",
        usable, bound, default_machine()));
  }
  checkup.facts.emplace_back(
      "limits",
      fmt::format("stack {}, address space {}", limit_text(RLIMIT_STACK), limit_text(RLIMIT_AS)));
}

void add_compilers(Checkup& checkup) {
  for (const char* compiler : {"c++", "g++", "clang++-19"}) {
    const std::string version = version_of(compiler);
    checkup.facts.emplace_back(compiler, version.empty() ? "not here" : version);
  }
}

void add_mpi(Checkup& checkup) {
  const std::vector<Mpi> mpis = installed_mpis();
  for (const Mpi& mpi : mpis) checkup.facts.emplace_back(mpi.name, version_of(mpi.launcher));
  if (mpis.empty()) {
    checkup.facts.emplace_back("MPI", "none");
    checkup.notes.push_back("mpi: " + launcher_words(2).error().text);
  }
  const char* const wanted = std::getenv("MYR_MPI");
  if (wanted != nullptr && *wanted != 0 && !launcher_words(2)) {
    checkup.faults.push_back(launcher_words(2).error().text);
  }
}

void add_parts(Checkup& checkup) {
  const auto add = [&](const char* name, const std::optional<std::string>& path,
                       const char* without) {
    checkup.facts.emplace_back(name, path ? *path : "not here");
    if (!path) checkup.faults.push_back(fmt::format("{} is not here: {}", name, without));
  };
  const auto text = [](const std::optional<fs::path>& path) {
    return path ? std::optional(path->string()) : std::nullopt;
  };
  add(MYR_LIBRARY_FILE,
      text(find_in_tree({"lib/" MYR_LIBRARY_FILE, MYR_LIBRARY_FOLDER "/" MYR_LIBRARY_FILE})),
      "programs that are linked with it do not start; install Myrmidon again");
  add("libgomp.so.1", find_openmp_library(false),
      "`myr omp` does not work; install Myrmidon again, or Debian's libmyrmidon-openmp");
  checkup.facts.emplace_back(
      "myr check", find_check_library().value_or("not built: it needs libdw-dev and pkg-config"));
  const auto myrcc = find_in_tree({"bin/myrcc"});
  checkup.facts.emplace_back("myrcc", myrcc ? myrcc->string() : "not built: it needs Clang 19");
}

void add_variables(Checkup& checkup) {
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::size_t equals = variable.find('=');
    const std::string_view name = variable.substr(0, equals);
    const bool is_ours = name.starts_with("MYR_") || name.starts_with("OMP_") ||
                         name.starts_with("GOMP_") || name.starts_with("KMP_") ||
                         name == "LD_PRELOAD" || name == "LD_LIBRARY_PATH";
    if (!is_ours || equals == std::string_view::npos) continue;
    checkup.facts.emplace_back(name, variable.substr(equals + 1));
  }
  for (const std::string& text : base::take_unknown_variables()) checkup.faults.push_back(text);
  if (const std::string kept = last_seed(); !kept.empty()) {
    checkup.facts.emplace_back("last wrong seed", kept);
  }
  if (const char* const seed = std::getenv("MYR_CHAOS")) {
    checkup.notes.push_back(
        fmt::format("MYR_CHAOS is set: tasks run in a random order, slowly; MYR_CHAOS={} "
                    "MYR_ON=smp:1 repeats it",
                    seed));
  }
}

constexpr std::string_view kProgram = R"(#include <myr/myr.hpp>
int main() {
  int x = 1;
  myr::spawn([](int& y) { y = 42; }, myr::inout(x));
  myr::wait(myr::in(x));
  return x;
}
)";

// A folder of its own, gone at the end of the scope.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "myr-doctor-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

// Compiles and runs a program as a user of the install tree would. A build tree has no headers.
void try_a_program(Checkup& checkup) {
  const auto header = find_in_tree({"include/myr/myr.hpp"});
  const auto library = find_in_tree({"lib/libmyrmidon.so", MYR_LIBRARY_FOLDER "/libmyrmidon.so"});
  if (!header || !library) {
    checkup.facts.emplace_back("a program", "not tried: this is no installation with headers");
    return;
  }
  if (path_of("c++").empty()) {
    checkup.faults.push_back("no C++ compiler is on PATH as c++: install the package g++");
    return;
  }
  const Folder folder;
  if (folder.path().empty()) {
    checkup.faults.push_back(
        fmt::format("no folder can be made in {}: set TMPDIR to one that may be written",
                    fs::temp_directory_path().string()));
    return;
  }
  const std::string source = (folder.path() / "a.cpp").string();
  const std::string program = (folder.path() / "a").string();
  std::ofstream(source) << kProgram;
  const Output compiled =
      run_in_shell(fmt::format("c++ -std=c++20 -I {} {} {} -Wl,-rpath,{} -o {} 2>&1",
                               shell_word(header->parent_path().parent_path().string()),
                               shell_word(source), shell_word(library->string()),
                               shell_word(library->parent_path().string()), shell_word(program)));
  if (compiled.status != 0) {
    checkup.faults.push_back("a program of one task does not compile: " +
                             line_at(compiled.text, compiled.text.find("error:")));
    return;
  }
  constexpr int kRight = 42;
  const Output ran = run_in_shell("env -u MYR_ON " + shell_word(program) + " 2>&1");
  checkup.facts.emplace_back("a program", ran.status == kRight ? "compiles and runs" : "fails");
  if (ran.status != kRight) {
    checkup.faults.push_back(
        fmt::format("a program of one task compiles, but ends with status {}: {}", ran.status,
                    line_at(ran.text, 0)));
  }
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted_texts;
  for (const std::string& text : texts) quoted_texts.push_back(base::json_string(text));
  return fmt::format("[{}]", fmt::join(quoted_texts, ", "));
}

}  // namespace

Checkup check_up() {
  Checkup checkup;
  checkup.facts.emplace_back("myrmidon", MYR_VERSION_TEXT);
  checkup.facts.emplace_back("built by", __VERSION__);
  add_computer(checkup);
  add_parts(checkup);
  add_compilers(checkup);
  add_mpi(checkup);
  add_variables(checkup);
  try_a_program(checkup);
  return checkup;
}

std::string describe(const Checkup& checkup) {
  std::string text;
  for (const auto& [name, fact] : checkup.facts) text += fmt::format("{:<16}{}\n", name, fact);
  for (const std::string& note : checkup.notes) text += fmt::format("\nnote: {}\n", note);
  for (const std::string& fault : checkup.faults) text += fmt::format("\nwrong: {}\n", fault);
  if (checkup.faults.empty()) text += "\nNothing is wrong with this installation.\n";
  return text;
}

std::string describe_as_json(const Checkup& checkup) {
  std::vector<std::string> facts;
  for (const auto& [name, fact] : checkup.facts) {
    facts.push_back(fmt::format("{}: {}", base::json_string(name), base::json_string(fact)));
  }
  return fmt::format("{{\"facts\": {{{}}},\n \"notes\": {},\n \"faults\": {}}}\n",
                     fmt::join(facts, ",\n           "), json_list(checkup.notes),
                     json_list(checkup.faults));
}

}  // namespace myr::cli
