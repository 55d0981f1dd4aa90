// SPDX-License-Identifier: Apache-2.0
#include "base/contract.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/sanitizers.hpp"

namespace myr::base {

namespace {

char speaker[16] = "";  // "rank 3: ", of one process of several
unsigned char* spoken_by_any = nullptr;
void (*end_of_job)(int status) = nullptr;
void (*notice)(const myr_site* site, std::string_view message) noexcept = nullptr;

// Past stdio: another thread may hold its locks, and wait for us.
void write_to_stderr(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void flush_stdout_if_possible() noexcept {
  constexpr int kPatienceMs = 1000;
  if (ftrylockfile(stdout) != 0) return;
  pollfd reader{.fd = fileno(stdout), .events = POLLOUT, .revents = 0};
  if (poll(&reader, 1, kPatienceMs) == 1 && (reader.revents & POLLOUT) != 0) {
    fflush_unlocked(stdout);
  }
}

// A launcher ends the job when it hears that one of its processes has ended, perhaps before it has
// read what this one wrote last, and then nobody reads that.
void let_launcher_read() noexcept {
  constexpr unsigned kPatienceMs = 1000;
  struct stat output = {};
  const bool has_launcher = speaker[0] != '\0';
  if (!has_launcher || fstat(STDERR_FILENO, &output) != 0 || !S_ISFIFO(output.st_mode)) return;
  for (unsigned waited_ms = 0; waited_ms < kPatienceMs; ++waited_ms) {
    int unread = 0;
    if (ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) return;
    usleep(1000);
  }
}

// One thread ends the process; the others shall not say anything more. Nor shall other processes,
// which are ended from outside when the first one has ended, or, if it cannot, by themselves.
void enter_last_words() noexcept {
  static bool spoken = false;
  while (__atomic_exchange_n(&spoken, true, __ATOMIC_RELAXED)) pause();
  unsigned char* const by_any = __atomic_load_n(&spoken_by_any, __ATOMIC_ACQUIRE);
  if (by_any == nullptr || __atomic_exchange_n(by_any, 1, __ATOMIC_RELAXED) == 0) return;
  constexpr unsigned kPatienceSeconds = 2;
  sleep(kPatienceSeconds);
  _exit(MYR_EXIT_MISUSE);
}

}  // namespace

void contract_failed(const char* condition, const char* file, unsigned line) noexcept {
  enter_last_words();
  write_to_stderr(format("myrmidon: internal error: {}:{}: expected {}\n", file, line, condition));
  let_launcher_read();
  std::abort();
}

void set_rank(unsigned rank) noexcept { std::snprintf(speaker, sizeof speaker, "rank %u: ", rank); }

void set_end_of_job(void (*end)(int status)) noexcept { end_of_job = end; }

void set_notice(void (*tell)(const myr_site* site, std::string_view message) noexcept) noexcept {
  __atomic_store_n(&notice, tell, __ATOMIC_RELEASE);
}

void share_last_words(unsigned char* spoken) noexcept {
  __atomic_store_n(&spoken_by_any, spoken, __ATOMIC_RELEASE);
}

std::string describe(const myr_site* site) {
  if (site == nullptr || site->file == nullptr) return "an unknown place";
  return format("{}:{}", site->file, site->line);
}

void misuse(const myr_site* site, std::string_view message) noexcept {
  if (auto* const tell = __atomic_load_n(&notice, __ATOMIC_ACQUIRE)) tell(site, message);
  end_process(site, message);
}

void end_process(const myr_site* site, std::string_view message) noexcept {
  enter_last_words();
  const bool has_place = site != nullptr && site->file != nullptr;
  // A piece at a time: there may be no memory to put them together.
  write_to_stderr("myrmidon: error: ");
  write_to_stderr(speaker);
  if (has_place) {
    char line[24];
    std::snprintf(line, sizeof line, ":%u: ", site->line);
    write_to_stderr(site->file);
    write_to_stderr(line);
  }
  write_to_stderr(message);
  write_to_stderr("\n");
  flush_stdout_if_possible();
  let_launcher_read();
  if (end_of_job != nullptr) end_of_job(MYR_EXIT_MISUSE);
  WhoseCode::end_process();
  _exit(MYR_EXIT_MISUSE);
}

}  // namespace myr::base
