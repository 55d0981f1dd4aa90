// SPDX-License-Identifier: Apache-2.0
//
// Programs and files: see process.hpp.

#include "translate/driver/process.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

extern char** environ;

namespace myr::translate {
namespace {

base::Error failure(const std::string& what, int code) {
  return base::Error{fmt::format("{}: {}", what, std::strerror(code))};
}

base::Result<int> exit_status(pid_t child, const std::string& name) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return failure(name, errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// What exec() wants; valid as long as `words`.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int start(const std::vector<std::string>& words, posix_spawn_file_actions_t* actions,
          pid_t& child) {
  const std::vector<char*> pointers = pointers_to(words);
  return posix_spawnp(&child, pointers[0], actions, nullptr, pointers.data(), environ);
}

}  // namespace

int fail(const std::string& text) {
  fmt::print(stderr, "myrcc: error: {}\n", text);
  return 1;
}

base::Result<int> run_program(const std::vector<std::string>& words) {
  pid_t child = 0;
  const int failed = start(words, nullptr, child);
  if (failed != 0) return failure(words.front(), failed);
  return exit_status(child, words.front());
}

base::Error become_program(const std::vector<std::string>& words) {
  execvp(words.front().c_str(), pointers_to(words).data());
  return failure(words.front(), errno);
}

base::Result<std::string> output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe(ends) != 0) return failure("pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int failed = start(words, &actions, child);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; failed == 0 && (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (failed != 0) return failure(words.front(), failed);
  const auto status = exit_status(child, words.front());
  if (!status) return status.error();
  if (*status != 0) return base::Error{fmt::format("{}: exit status {}", words.front(), *status)};
  return text;
}

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  std::string name = fmt::format("{}/myrcc-XXXXXX", parent == nullptr ? "/tmp" : parent);
  if (mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "myrcc: {}: {}\n", name, std::strerror(errno));
    std::exit(1);
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

base::Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    // An empty file fails to be copied, but it is no failure.
    if (file.is_open() && file.eof()) return std::string();
    if (file.is_open() && errno == 0) return std::string();
    return failure(path, errno == 0 ? EIO : errno);
  }
  return text.str();
}

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace myr::translate
