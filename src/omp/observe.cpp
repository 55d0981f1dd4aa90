// SPDX-License-Identifier: Apache-2.0
#include "omp/observe.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "omp/team.hpp"
#include "sync/atomic.hpp"

namespace myr::omp {

namespace {

struct Seen {
  const void* code = nullptr;
  Construct construct = Construct::Region;
  std::uint64_t times = 0;
  std::uint64_t ticks = 0;
};

// Open addressing. What finds no room is counted together.
struct Table {
  static constexpr std::size_t kRoom = 4096;
  Seen seen[kRoom];
  Seen rest;
  Table* next = nullptr;

  Seen& get(Construct construct, const void* code) noexcept {
    const auto bits = reinterpret_cast<std::uint64_t>(code) * 0x9E3779B97F4A7C15ULL;
    std::size_t at = (bits >> 32) % kRoom;
    for (std::size_t tries = 0; tries < kRoom; ++tries, at = (at + 1) % kRoom) {
      Seen& entry = seen[at];
      if (entry.code == code && entry.construct == construct) return entry;
      if (entry.code != nullptr) continue;
      entry.construct = construct;
      entry.code = code;
      return entry;
    }
    return rest;
  }
};

// [omp.tables] Who reads the list sees the tables, as they were made.
sync::Atomic<Table*> tables{nullptr};
constinit thread_local Table* own_table = nullptr;
timespec first_time;  // written when the library is loaded
std::uint64_t first_ticks = 0;

[[gnu::constructor(102)]] void begin_to_observe() {
  clock_gettime(CLOCK_MONOTONIC, &first_time);
  first_ticks = plat::ticks();
}

Table* new_table() {
  auto* table = new Table;
  Table* head = tables.load(sync::relaxed);
  do {
    table->next = head;
  } while (!tables.compare_exchange_weak(head, table, sync::release,  // [omp.tables]
                                         sync::relaxed));
  return table;
}

double seconds_since(const timespec& then) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - then.tv_sec) +
         static_cast<double>(now.tv_nsec - then.tv_nsec) / 1e9;
}

// All threads' sums, the longest first.
std::vector<Seen> sums() {
  std::vector<Seen> all;
  for (const Table* table = tables.load(sync::acquire);  // [omp.tables]
       table != nullptr; table = table->next) {
    for (const Seen& seen : table->seen) {
      if (seen.times == 0) continue;
      const auto same = std::find_if(all.begin(), all.end(), [&](const Seen& other) {
        return other.code == seen.code && other.construct == seen.construct;
      });
      Seen& sum = same != all.end() ? *same : all.emplace_back(Seen{seen.code, seen.construct});
      sum.times += seen.times;
      sum.ticks += seen.ticks;
    }
  }
  std::sort(all.begin(), all.end(), [](const Seen& a, const Seen& b) {
    return a.construct != b.construct ? a.construct < b.construct : a.ticks > b.ticks;
  });
  return all;
}

std::string quoted(const char* text) {
  std::string word = "'";
  for (; *text != 0; ++text) word += *text == '\'' ? "'\\''" : std::string(1, *text);
  return word + "'";
}

// "file:line" by binutils' addr2line, or the object and the address in it.
std::string place_of(const void* code) {
  Dl_info info;
  if (dladdr(code, &info) == 0) return "?";
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const auto* header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
  const bool is_fixed = header->e_type == ET_EXEC;
  const auto address = reinterpret_cast<std::uintptr_t>(code) - (is_fixed ? 0 : base);
  char number[32];
  std::snprintf(number, sizeof number, " 0x%zx", static_cast<std::size_t>(address));
  const std::string file = access(info.dli_fname, R_OK) == 0 ? info.dli_fname : "/proc/self/exe";
  char line[512] = "";
  const std::string command = "addr2line -s -e " + quoted(file.c_str()) + number + " 2>/dev/null";
  if (std::FILE* pipe = popen(command.c_str(), "r")) {
    if (std::fgets(line, sizeof line, pipe) == nullptr) line[0] = 0;
    pclose(pipe);
  }
  line[std::strcspn(line, " \n")] = 0;
  if (line[0] != 0 && std::strncmp(line, "??", 2) != 0) return line;
  const char* name = std::strrchr(info.dli_fname, '/');
  return (name != nullptr ? name + 1 : info.dli_fname) + std::string(number);
}

[[gnu::destructor]] void print_what_was_seen() {
  if (tables.load(sync::relaxed) == nullptr) return;
  const double seconds = seconds_since(first_time);
  const double tick = seconds / static_cast<double>(plat::ticks() - first_ticks);
  unsetenv("LD_PRELOAD");  // for addr2line
  static const char* const names[] = {"region", "loop", "task"};
  std::fprintf(stderr,
               "\nOpenMP on Myrmidon, %.3f s. Regions by their first thread; loops and tasks "
               "by all threads together.\n%-8s %10s %12s %12s  %s\n",
               seconds, "", "times", "seconds", "us each", "where");
  for (const Seen& seen : sums()) {
    const double total = static_cast<double>(seen.ticks) * tick;
    std::fprintf(stderr, "%-8s %10zu %12.6f %12.3f  %s\n",
                 names[static_cast<std::size_t>(seen.construct)],
                 static_cast<std::size_t>(seen.times), total,
                 total / static_cast<double>(seen.times) * 1e6, place_of(seen.code).c_str());
  }
}

}  // namespace

void observe(Construct construct, const void* code, std::uint64_t ticks) noexcept {
  if (own_table == nullptr) own_table = new_table();
  Seen& seen = own_table->get(construct, code);
  seen.times += 1;
  seen.ticks += ticks;
}

}  // namespace myr::omp
