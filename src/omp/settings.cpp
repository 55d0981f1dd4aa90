// SPDX-License-Identifier: Apache-2.0
#include "omp/settings.hpp"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>

#include "omp/kmp_settings.hpp"
#include "omp/locks.hpp"
#include "omp/places.hpp"
#include "plat/cpu_quota.hpp"

namespace myr::omp {

constinit Settings settings;

namespace {

unsigned processors = 1;

struct HashOfIcv {
  std::size_t operator()(const Icv& icv) const noexcept {
    const std::uint64_t loops =
        std::uint64_t{icv.schedule} << 32 | std::bit_cast<unsigned>(icv.chunk);
    const std::uint64_t threads = std::uint64_t{icv.thread_limit} << 32 | icv.thread_count;
    return (loops * 0x9E3779B97F4A7C15U + threads) * 0x9E3779B97F4A7C15U >> 16;
  }
};

const char* skip_space(const char* text) {
  while (std::isspace(static_cast<unsigned char>(*text))) ++text;
  return text;
}

// Reads a number; false, and a message, if there is none or it is out of bounds.
bool read_number(const char* name, long min, long max, long& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  char* end = nullptr;
  const long read = std::strtol(text, &end, 10);
  if (end == text || *skip_space(end) != 0 || read < min || read > max) {
    complain(name, text);
    return false;
  }
  value = read;
  return true;
}

// Is the text this word, with spaces around it?
bool says(const char* text, const char* word) {
  text = skip_space(text);
  const std::size_t length = std::strlen(word);
  return strncasecmp(text, word, length) == 0 && *skip_space(text + length) == 0;
}

// The number of the word that the text is; -1, and a message, if it is none of them.
int read_word(const char* name, const char* text, std::initializer_list<const char*> words) {
  int number = 0;
  for (const char* word : words) {
    if (says(text, word)) return number;
    ++number;
  }
  complain(name, text);
  return -1;
}

bool read_flag(const char* name, bool& value) {
  const char* text = std::getenv(name);
  const int word = text != nullptr ? read_word(name, text, {"false", "true"}) : -1;
  if (word >= 0) value = word == 1;
  return word >= 0;
}

void read_thread_counts() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  settings.icv.thread_count = processors;
  if (text == nullptr) return;
  const char* at = text;
  std::size_t levels = 0;
  for (;;) {
    char* end = nullptr;
    const long count = std::strtol(at, &end, 10);
    if (end == at || count < 1 || count > 0x7fffffff) return complain("OMP_NUM_THREADS", text);
    if (levels < kListMax) settings.thread_counts[levels++] = static_cast<std::uint32_t>(count);
    at = skip_space(end);
    if (*at == 0) break;
    if (*at != ',') return complain("OMP_NUM_THREADS", text);
    ++at;
  }
  settings.thread_count_levels = levels;
  settings.icv.thread_count = settings.thread_counts[0];
}

// [monotonic:|nonmonotonic:]kind[,chunk]
void read_schedule() {
  const char* text = std::getenv("OMP_SCHEDULE");
  if (text == nullptr) return;
  const char* at = skip_space(text);
  std::uint32_t modifier = 0;
  const char* colon = std::strchr(at, ':');
  if (colon != nullptr) {
    const bool monotonic = strncasecmp(at, "monotonic", 9) == 0;
    if (!monotonic && strncasecmp(at, "nonmonotonic", 12) != 0)
      return complain("OMP_SCHEDULE", text);
    if (monotonic) modifier = kMonotonic;
    at = skip_space(colon + 1);
  }
  struct {
    const char* name;
    std::uint32_t kind;
  } const kinds[] = {
      {"static", kStatic}, {"dynamic", kDynamic}, {"guided", kGuided}, {"auto", kAuto}};
  for (const auto& [name, kind] : kinds) {
    const std::size_t length = std::strlen(name);
    if (strncasecmp(at, name, length) != 0) continue;
    at = skip_space(at + length);
    long chunk = kind == kStatic ? 0 : 1;
    if (*at == ',') {
      char* end = nullptr;
      chunk = std::strtol(at + 1, &end, 10);
      if (end == at + 1 || chunk < 0 || chunk > 0x7fffffff) return complain("OMP_SCHEDULE", text);
      if (chunk == 0 && kind != kStatic) chunk = 1;
      at = skip_space(end);
    }
    if (*at != 0) break;
    if (kind == kStatic && colon == nullptr) modifier = kMonotonic | kUnsaid;
    settings.icv.schedule = kind | modifier;
    settings.icv.chunk = static_cast<std::int32_t>(chunk);
    return;
  }
  complain("OMP_SCHEDULE", text);
}

// A size with B, K, M or G behind it; K if there is none.
bool read_stack(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  char* end = nullptr;
  const unsigned long long size = std::strtoull(text, &end, 10);
  if (end == text) return complain(name, text), false;
  const char* unit = skip_space(end);
  unsigned shift = 10;
  if (*unit != 0) {
    const char* units = "bkmg";
    const char* found = std::strchr(units, std::tolower(static_cast<unsigned char>(*unit)));
    if (found == nullptr || *skip_space(unit + 1) != 0) return complain(name, text), false;
    shift = static_cast<unsigned>(found - units) * 10;
  }
  const std::size_t bytes = static_cast<std::size_t>(size) << shift;
  const auto least = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN));
  if (bytes < least) {
    std::fprintf(stderr, "\nlibgomp: %s=%s: the least that a stack may have is %zuK\n", name, text,
                 (least + 1023) / 1024);
    return false;
  }
  settings.stack_bytes = bytes;
  return true;
}

void read_bind() {
  const char* text = std::getenv("OMP_PROC_BIND");
  if (text == nullptr) return;
  struct {
    const char* name;
    std::uint32_t kind;
  } const kinds[] = {{"false", kBindFalse},    {"true", kBindTrue},   {"primary", kBindPrimary},
                     {"master", kBindPrimary}, {"close", kBindClose}, {"spread", kBindSpread}};
  const char* at = text;
  std::size_t levels = 0;
  for (;;) {
    at = skip_space(at);
    bool found = false;
    for (const auto& [name, kind] : kinds) {
      const std::size_t length = std::strlen(name);
      if (strncasecmp(at, name, length) != 0) continue;
      if (levels < kListMax) settings.binds[levels++] = kind;
      at = skip_space(at + length);
      found = true;
      break;
    }
    if (!found || (*at != 0 && *at != ',')) return complain("OMP_PROC_BIND", text);
    if (*at == 0) break;
    ++at;
  }
  // `true` and `false` are no members of lists.
  const bool has_plain = *std::min_element(settings.binds, settings.binds + levels) < kBindPrimary;
  if (levels > 1 && has_plain) return complain("OMP_PROC_BIND", text);
  settings.bind_levels = levels;
  settings.icv.bind = settings.binds[0];
}

void read_levels() {
  long levels = 0;
  bool nested = false;
  if (read_number("OMP_MAX_ACTIVE_LEVELS", 0, 0x7fffffff, levels)) {
    settings.icv.levels_max =
        levels > kLevelsSupported ? kLevelsSupported : static_cast<std::uint32_t>(levels);
  } else if (read_flag("OMP_NESTED", nested)) {
    settings.icv.levels_max = nested ? kLevelsSupported : 1;
  } else if (settings.thread_count_levels > 1 || settings.bind_levels > 1) {
    settings.icv.levels_max = kLevelsSupported;
  }
}

// A number with k, M, G or T behind it, or `infinite` or `infinity`.
void read_spin_count() {
  constexpr const char* kName = "GOMP_SPINCOUNT";
  const char* text = std::getenv(kName);
  if (text == nullptr) return;
  std::uint64_t count = ~std::uint64_t{0};
  if (!says(text, "infinite") && !says(text, "infinity")) {
    char* end = nullptr;
    count = std::strtoull(text, &end, 10);
    if (end == text || *skip_space(text) == '-') return complain(kName, text);
    const char* unit = skip_space(end);
    const char* units = "kmgt";
    const char* found = std::strchr(units, std::tolower(static_cast<unsigned char>(*unit)));
    const bool has_unit = *unit != 0;
    if (has_unit && (found == nullptr || *skip_space(unit + 1) != 0)) return complain(kName, text);
    for (const char* at = units; has_unit && at <= found; ++at) {
      if (__builtin_mul_overflow(count, 1000U, &count)) return complain(kName, text);
    }
  }
  settings.has_spin_count = true;
  settings.spin_count = count;
}

void read_waiting() {
  if (const char* policy = std::getenv("OMP_WAIT_POLICY")) {
    settings.wait_policy = read_word("OMP_WAIT_POLICY", policy, {"passive", "active"});
  }
  read_spin_count();
}

// From 1 on.
constexpr const char* kAllocators[] = {"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
                                       "omp_const_mem_alloc",   "omp_high_bw_mem_alloc",
                                       "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
                                       "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};

void read_allocator() {
  const char* text = std::getenv("OMP_ALLOCATOR");
  if (text == nullptr) return;
  for (std::uintptr_t i = 0; i < std::size(kAllocators); ++i) {
    if (strcasecmp(text, kAllocators[i]) == 0) {
      settings.icv.allocator = i + 1;
      return;
    }
  }
  long number = 0;
  if (std::isdigit(static_cast<unsigned char>(*text)) &&
      read_number("OMP_ALLOCATOR", 1, 8, number)) {
    settings.icv.allocator = static_cast<std::uintptr_t>(number);
    return;
  }
  complain("OMP_ALLOCATOR", text);
}

void read_offload() {
  const char* text = std::getenv("OMP_TARGET_OFFLOAD");
  if (text == nullptr) return;
  const int word = read_word("OMP_TARGET_OFFLOAD", text, {"default", "mandatory", "disabled"});
  if (word > 0) settings.target_offload = word;
}

// As OMP_PLACES stands; without it, those that are used.
std::string text_of_places() {
  if (settings.places != nullptr) return settings.places;
  std::string text;
  for (unsigned i = 0; i < place_count(); ++i) {
    text += i == 0 ? "{" : ",{";
    const char* comma = "";
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &place(i))) continue;
      text += std::exchange(comma, ",");
      text += std::to_string(cpu);
    }
    text += '}';
  }
  return text;
}

// With neither a number nor a policy each thread finds out itself how long it is worth while.
std::string text_of_spins() {
  if (settings.has_spin_count) {
    const bool infinite = settings.spin_count == ~std::uint64_t{0};
    return infinite ? "INFINITY" : std::to_string(settings.spin_count);
  }
  return settings.wait_policy < 0 ? "" : settings.wait_policy == 0 ? "0" : "INFINITY";
}

const char* schedule_name(std::uint32_t schedule) {
  static const char* const names[] = {"RUNTIME", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  return names[schedule & 7U];
}

const char* bind_name(std::uint32_t bind) {
  static const char* const names[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
  return names[bind];
}

}  // namespace

unsigned processor_count() noexcept { return processors; }

void complain(const char* name, const char* text) {
  std::fprintf(stderr, "\nlibgomp: Invalid value for environment variable %s: %s\n", name, text);
}

const Icv* shared_icv(const Icv& values) {
  const Lock lock(locks.icvs);
  static auto* known = new std::unordered_set<Icv, HashOfIcv>;  // until the process ends
  return &*known->insert(values).first;
}

void read_environment() {
  processors = plat::usable_cpu_count();
  read_thread_counts();
  read_schedule();
  read_bind();
  read_levels();
  read_waiting();
  read_allocator();
  read_offload();
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"}) {
    if (read_stack(name)) break;
  }
  bool dynamic = false;
  if (read_flag("OMP_DYNAMIC", dynamic)) settings.icv.dynamic = dynamic;
  read_flag("OMP_CANCELLATION", settings.cancellation);
  read_flag("OMP_DISPLAY_AFFINITY", settings.display_affinity);
  long number = 0;
  if (read_number("OMP_THREAD_LIMIT", 1, 0x7fffffff, number)) {
    settings.icv.thread_limit = static_cast<std::uint32_t>(number);
  }
  if (read_number("OMP_MAX_TASK_PRIORITY", 0, 0x7fffffff, number)) {
    settings.priority_max = static_cast<int>(number);
  }
  if (read_number("OMP_DEFAULT_DEVICE", 0, 0x7fffffff, number)) {
    settings.icv.device = static_cast<std::int32_t>(number);
  }
  if (read_number("OMP_NUM_TEAMS", 1, 0x7fffffff, number)) {
    settings.teams_max = static_cast<int>(number);
  }
  if (read_number("OMP_TEAMS_THREAD_LIMIT", 1, 0x7fffffff, number)) {
    settings.teams_thread_limit = static_cast<int>(number);
  }
  settings.affinity_format = std::getenv("OMP_AFFINITY_FORMAT");
  settings.places = std::getenv("OMP_PLACES");
  if (settings.places != nullptr && settings.bind_levels == 0) settings.icv.bind = kBindTrue;
  read_kmp_variables();
}

void display_environment_if_asked() {
  const char* text = std::getenv("OMP_DISPLAY_ENV");
  if (text == nullptr) return;
  const int word = read_word("OMP_DISPLAY_ENV", text, {"false", "0", "true", "1", "verbose"});
  if (word > 1) display_environment(word == 4);
}

void display_environment(bool verbose) {
  const Icv& icv = settings.icv;
  std::fputs("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n", stderr);
  std::fputs("  _OPENMP = '201511'\n", stderr);
  std::fprintf(stderr, "  OMP_DYNAMIC = '%s'\n", icv.dynamic != 0 ? "TRUE" : "FALSE");
  std::fprintf(stderr, "  OMP_NESTED = '%s'\n", icv.levels_max > 1 ? "TRUE" : "FALSE");
  std::fprintf(stderr, "  OMP_NUM_THREADS = '%u", icv.thread_count);
  for (std::size_t i = 1; i < settings.thread_count_levels; ++i) {
    std::fprintf(stderr, ",%u", settings.thread_counts[i]);
  }
  const bool is_static = (icv.schedule & 7U) == kStatic;
  const char* modifier = (icv.schedule & kMonotonic) != 0 ? (is_static ? "" : "MONOTONIC:")
                                                          : (is_static ? "NONMONOTONIC:" : "");
  std::fprintf(stderr, "'\n  OMP_SCHEDULE = '%s%s", modifier, schedule_name(icv.schedule));
  if (icv.chunk != (is_static ? 0 : 1)) std::fprintf(stderr, ",%d", icv.chunk);
  std::fprintf(stderr, "'\n  OMP_PROC_BIND = '%s", bind_name(icv.bind));
  for (std::size_t i = 1; i < settings.bind_levels; ++i) {
    std::fprintf(stderr, ",%s", bind_name(settings.binds[i]));
  }
  std::fprintf(stderr, "'\n  OMP_PLACES = '%s'\n", text_of_places().c_str());
  std::fprintf(stderr, "  OMP_STACKSIZE = '%zu'\n", settings.stack_bytes);
  std::fprintf(stderr, "  OMP_WAIT_POLICY = '%s'\n",
               settings.wait_policy > 0 ? "ACTIVE" : "PASSIVE");
  std::fprintf(stderr, "  OMP_THREAD_LIMIT = '%u'\n",
               icv.thread_limit == 0x7fffffff ? 0xffffffffU : icv.thread_limit);
  std::fprintf(stderr, "  OMP_MAX_ACTIVE_LEVELS = '%u'\n", icv.levels_max);
  std::fprintf(stderr, "  OMP_NUM_TEAMS = '%d'\n", settings.teams_max);
  std::fprintf(stderr, "  OMP_TEAMS_THREAD_LIMIT = '%d'\n", settings.teams_thread_limit);
  std::fprintf(stderr, "  OMP_CANCELLATION = '%s'\n", settings.cancellation ? "TRUE" : "FALSE");
  std::fprintf(stderr, "  OMP_DEFAULT_DEVICE = '%d'\n", icv.device);
  std::fprintf(stderr, "  OMP_MAX_TASK_PRIORITY = '%d'\n", settings.priority_max);
  std::fprintf(stderr, "  OMP_DISPLAY_AFFINITY = '%s'\n",
               settings.display_affinity ? "TRUE" : "FALSE");
  std::fprintf(stderr, "  OMP_AFFINITY_FORMAT = '%s'\n",
               settings.affinity_format != nullptr ? settings.affinity_format
                                                   : "level %L thread %i affinity %A");
  std::fprintf(stderr, "  OMP_ALLOCATOR = '%s'\n", kAllocators[settings.icv.allocator - 1]);
  static const char* const offload[] = {"DEFAULT", "MANDATORY", "DISABLED"};
  std::fprintf(stderr, "  OMP_TARGET_OFFLOAD = '%s'\n", offload[settings.target_offload]);
  if (verbose) {
    std::fputs("  GOMP_CPU_AFFINITY = ''\n", stderr);
    std::fprintf(stderr, "  GOMP_STACKSIZE = '%zu'\n", settings.stack_bytes);
    std::fprintf(stderr, "  GOMP_SPINCOUNT = '%s'\n", text_of_spins().c_str());
  }
  std::fputs("OPENMP DISPLAY ENVIRONMENT END\n", stderr);
}

}  // namespace myr::omp
