// SPDX-License-Identifier: Apache-2.0
//
// What is done at the end of an observed process with what its threads recorded: a table on
// standard error (MYR_STATS), a timeline in a file (MYR_TRACE).
#include <dlfcn.h>
#include <elf.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "omp/observe_record.hpp"
#include "plat/clock.hpp"
#include "trace/output.hpp"

namespace myr::omp {

namespace {

struct Wanted {
  bool stats = false;
  std::string trace_file;  // empty: none
};
// What the library read when it was loaded, and when that was.
struct Loaded {
  Wanted wanted;
  timespec time;
  std::uint64_t ticks = 0;
};
Loaded* loaded = nullptr;  // never freed: it is read when the process's objects are gone

constexpr const char* kNames[] = {"region", "region", "loop", "task"};

std::uint64_t ns_since(const timespec& then) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec - then.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) - static_cast<std::uint64_t>(then.tv_nsec);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A file that cannot be written is refused before the program has run for an hour. It is filled at
// the end, as other processes of a script may write one of the same name.
void check_file(const std::string& name) {
  const auto paths = trace::timeline_paths("MYR_TRACE", name);
  std::string wrong = paths ? "" : paths.error().text;
  for (const std::string& path : paths ? *paths : std::vector<std::string>()) {
    std::FILE* file = std::fopen(path.c_str(), "ae");
    if (file == nullptr)
      wrong = base::format("MYR_TRACE: cannot write {}: {}", path, std::strerror(errno));
    if (file != nullptr) std::fclose(file);
  }
  if (wrong.empty()) return;
  std::fprintf(stderr, "myr: %s\n", wrong.c_str());
  _exit(2);
}

[[gnu::constructor(102)]] void begin_to_observe() {
  loaded = new Loaded;
  const std::string stats = variable("MYR_STATS");
  loaded->wanted.stats = !stats.empty() && stats != "0";
  const std::string file = variable("MYR_TRACE");
  if (!file.empty()) {
    loaded->wanted.trace_file =
        std::filesystem::absolute(file);  // the program may change its folder
    check_file(loaded->wanted.trace_file);
  }
  clock_gettime(CLOCK_MONOTONIC, &loaded->time);
  loaded->ticks = plat::ticks();
}

std::string shell_word(const char* text) {
  std::string word = "'";
  for (; *text != 0; ++text) word += *text == '\'' ? "'\\''" : std::string(1, *text);
  return word + "'";
}

struct SourceLine {
  std::string file;
  unsigned line = 0;  // 0: unknown; then `file` is the object and the address in it

  [[nodiscard]] std::string text() const {
    return line == 0 ? file : base::format("{}:{}", file, line);
  }
};

// By binutils' addr2line.
SourceLine place_of(const void* code) {
  Dl_info info;
  if (dladdr(code, &info) == 0) return {"?"};
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const auto* header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
  const bool is_fixed = header->e_type == ET_EXEC;
  const auto address = reinterpret_cast<std::uintptr_t>(code) - (is_fixed ? 0 : base);
  char number[32];
  std::snprintf(number, sizeof number, " 0x%zx", static_cast<std::size_t>(address));
  const std::string file = access(info.dli_fname, R_OK) == 0 ? info.dli_fname : "/proc/self/exe";
  char line[512] = "";
  const std::string command =
      "addr2line -s -e " + shell_word(file.c_str()) + number + " 2>/dev/null";
  if (std::FILE* pipe = popen(command.c_str(), "r")) {
    if (std::fgets(line, sizeof line, pipe) == nullptr) line[0] = 0;
    pclose(pipe);
  }
  line[std::strcspn(line, " \n")] = 0;
  const char* colon = std::strrchr(line, ':');
  if (colon != nullptr && std::strncmp(line, "??", 2) != 0) {
    return {std::string(line, static_cast<std::size_t>(colon - line)),
            static_cast<unsigned>(std::strtoul(colon + 1, nullptr, 10))};
  }
  const char* name = std::strrchr(info.dli_fname, '/');
  return {(name != nullptr ? name + 1 : info.dli_fname) + std::string(number)};
}

class SourceLines {
 public:
  const SourceLine& of(const void* code) {
    const auto known = lines_.find(code);
    return known != lines_.end() ? known->second
                                 : lines_.emplace(code, place_of(code)).first->second;
  }

 private:
  std::map<const void*, SourceLine> lines_;  // does not move what is in it: sites point to names
};

template <class Use>
void for_all_seen(const std::vector<ThreadRecord*>& threads, Use use) {
  for (ThreadRecord* thread : threads) {
    for (Seen& seen : thread->table.seen) {
      if (seen.times != 0) use(seen);
    }
  }
}

// All threads' sums, the longest first.
std::vector<Seen> sums(const std::vector<ThreadRecord*>& threads) {
  std::vector<Seen> all;
  for_all_seen(threads, [&](const Seen& seen) {
    if (seen.construct == Construct::Part) return;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Seen& other) {
      return other.code == seen.code && other.construct == seen.construct;
    });
    Seen& sum = same != all.end() ? *same : all.emplace_back(Seen{seen.code, seen.construct});
    sum.times += seen.times;
    sum.ticks += seen.ticks;
  });
  std::sort(all.begin(), all.end(), [](const Seen& a, const Seen& b) {
    return a.construct != b.construct ? a.construct < b.construct : a.ticks > b.ticks;
  });
  return all;
}

void print_sums(const std::vector<ThreadRecord*>& threads, const trace::Clock& clock,
                SourceLines& lines) {
  const double seconds = static_cast<double>(clock.elapsed_ns) / 1e9;
  const double tick = seconds / static_cast<double>(clock.end_ticks - clock.start_ticks);
  std::fprintf(stderr,
               "\nOpenMP on Myrmidon, %.3f s. Regions by their first thread; loops and tasks "
               "by all threads together.\n%-8s %10s %12s %12s  %s\n",
               seconds, "", "times", "seconds", "us each", "where");
  for (const Seen& seen : sums(threads)) {
    const double total = static_cast<double>(seen.ticks) * tick;
    const SourceLine& place = lines.of(seen.code);
    std::fprintf(stderr, "%-8s %10zu %12.6f %12.3f  %s\n",
                 kNames[static_cast<std::size_t>(seen.construct)],
                 static_cast<std::size_t>(seen.times), total,
                 total / static_cast<double>(seen.times) * 1e6, place.text().c_str());
  }
}

void write_timeline(const std::vector<ThreadRecord*>& threads, const trace::Clock& clock,
                    SourceLines& lines) {
  for_all_seen(threads, [&](Seen& seen) {
    const SourceLine& place = lines.of(seen.code);
    seen.site.function = kNames[static_cast<std::size_t>(seen.construct)];
    seen.site.file = place.file.c_str();
    seen.site.line = place.line;
  });
  auto output = trace::Output::open({.timeline = loaded->wanted.trace_file, .graph = ""}, {});
  std::vector<std::string> remarks;
  if (output) {
    std::vector<trace::Timeline>& timelines = (*output)->recording().timelines;
    for (ThreadRecord* thread : threads) timelines.push_back(std::move(thread->timeline));
    remarks = (*output)->write(clock);
  } else {
    remarks.push_back(output.error().text);
  }
  for (const std::string& remark : remarks) std::fprintf(stderr, "myr: %s\n", remark.c_str());
}

// Has nobody written a timeline? A process without OpenMP leaves those of others, but a file that
// cannot be read is no timeline.
bool is_still_empty(const std::string& name) {
  if (name.empty()) return false;
  auto paths = trace::timeline_paths("MYR_TRACE", name);
  std::error_code wrong;
  return paths && std::filesystem::file_size(paths->front(), wrong) == 0 && !wrong;
}

[[gnu::destructor]] void report() {
  std::vector<ThreadRecord*> threads;
  for (ThreadRecord* at = all_records(); at != nullptr; at = at->next) threads.push_back(at);
  if (loaded == nullptr) return;
  if (threads.empty() && !is_still_empty(loaded->wanted.trace_file)) return;
  std::reverse(threads.begin(), threads.end());
  const trace::Clock clock{loaded->ticks, plat::ticks(), ns_since(loaded->time)};
  for (ThreadRecord* thread : threads) close(*thread, clock.end_ticks);
  unsetenv("LD_PRELOAD");  // for addr2line
  SourceLines lines;
  if (loaded->wanted.stats && !threads.empty()) print_sums(threads, clock, lines);
  if (!loaded->wanted.trace_file.empty()) write_timeline(threads, clock, lines);
}

}  // namespace

bool wants_timelines() noexcept { return loaded != nullptr && !loaded->wanted.trace_file.empty(); }

}  // namespace myr::omp
