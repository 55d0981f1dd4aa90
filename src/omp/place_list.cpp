// SPDX-License-Identifier: Apache-2.0
#include "omp/place_list.hpp"

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace myr::omp {

namespace {

constexpr long kMostRepeats = 65'535;

std::FILE* open_list(unsigned cpu, const char* file, unsigned node) {
  char name[64];
  std::snprintf(name, sizeof name, file, node);
  char path[128];
  std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
  return std::fopen(path, "r");
}

// Processors that share something, by what Linux says of each. The file of a processor's node has
// the node's number in its name.
bool read_list(unsigned cpu, const char* file, cpu_set_t& set) {
  constexpr unsigned kMostNodes = 1024;
  const unsigned names = std::strchr(file, '%') != nullptr ? kMostNodes : 1;
  std::FILE* list = nullptr;
  for (unsigned node = 0; list == nullptr && node < names; ++node) {
    list = open_list(cpu, file, node);
  }
  if (list == nullptr) return false;
  CPU_ZERO(&set);
  unsigned first = 0;
  while (std::fscanf(list, "%u", &first) == 1) {
    unsigned last = first;
    int next = std::fgetc(list);
    if (next == '-') {
      if (std::fscanf(list, "%u", &last) != 1) break;
      next = std::fgetc(list);
    }
    for (unsigned i = first; i <= last && i < CPU_SETSIZE; ++i) CPU_SET(i, &set);
    if (next != ',') break;
  }
  std::fclose(list);
  return true;
}

// A place for each set of processors that share what the file names; nullptr: for each processor.
std::vector<cpu_set_t> places_by(const char* file, const cpu_set_t& usable, std::size_t most) {
  std::vector<cpu_set_t> places;
  cpu_set_t done;
  CPU_ZERO(&done);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && places.size() < most; ++cpu) {
    if (!CPU_ISSET(cpu, &usable) || CPU_ISSET(cpu, &done)) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (file == nullptr || !read_list(cpu, file, set)) CPU_SET(cpu, &set);
    CPU_OR(&done, &done, &set);
    CPU_AND(&set, &set, &usable);
    places.push_back(set);
  }
  return places;
}

// Reads a text from left to right. What is wrong is noted once, and ends the reading.
class Reader {
 public:
  Reader(const char* text, const cpu_set_t& usable) : text_(text), at_(text), usable_(usable) {
    skip();
  }

  // GOMP_CPU_AFFINITY: `first-last:stride`, with commas or spaces between them.
  PlaceList read_cpus() {
    while (mistake_ == nullptr && *at_ != 0) {
      const long first = read_number("the number of a processor is missing");
      const long last = take('-') ? read_number("a processor is missing behind a dash") : first;
      const long stride = take(':') ? read_number("a stride is missing behind a colon") : 1;
      if (last < first || stride < 1) fail("ranges go upwards");
      for_each({.times = (last - first) / std::max(stride, 1L) + 1, .stride = stride},
               [&](long by) {
                 cpu_set_t set;
                 CPU_ZERO(&set);
                 CPU_SET(processor(first, by), &set);
                 places_.push_back(set);
               });
      take(',');
    }
    return finish();
  }

  PlaceList read() {
    if (std::isalpha(static_cast<unsigned char>(*at_))) {
      read_name();
    } else {
      read_items();
    }
    return finish();
  }

 private:
  PlaceList finish() {
    if (mistake_ == nullptr && *at_ != 0) fail("there is something behind its end");
    if (mistake_ == nullptr) drop_unusable();
    return {std::move(places_), mistake_};
  }
  // `:length:stride` behind a processor or a place.
  struct Repeat {
    long times = 1;
    long stride = 1;
  };

  void fail(const char* mistake) {
    if (mistake_ == nullptr) mistake_ = mistake;
  }
  void skip() {
    while (std::isspace(static_cast<unsigned char>(*at_))) ++at_;
  }
  bool take(char wanted) {
    if (*at_ != wanted) return false;
    ++at_;
    skip();
    return true;
  }
  long read_number(const char* mistake) {
    char* end = nullptr;
    const long value = std::strtol(at_, &end, 10);
    if (end == at_) fail(mistake);
    at_ = end;
    skip();
    return value;
  }
  Repeat read_repeat() {
    Repeat repeat;
    if (!take(':')) return repeat;
    repeat.times = read_number("a length is missing behind a colon");
    if (repeat.times < 1 || repeat.times > kMostRepeats) fail("lengths are from 1 to 65535");
    if (take(':')) repeat.stride = read_number("a stride is missing behind a colon");
    return repeat;
  }
  // Calls `visit` with 0, 1, ... times the stride.
  template <class Visit>
  void for_each(const Repeat& repeat, Visit visit) {
    for (long i = 0; i < repeat.times && mistake_ == nullptr; ++i) {
      long by = 0;
      if (__builtin_mul_overflow(i, repeat.stride, &by)) by = CPU_SETSIZE;
      visit(by);
    }
  }
  unsigned processor(long first, long by) {
    long number = 0;
    const bool fits = !__builtin_add_overflow(first, by, &number);
    if (fits && number >= 0 && number < CPU_SETSIZE) return static_cast<unsigned>(number);
    fail("processors have the numbers 0 to 1023");
    return 0;
  }

  void read_name() {
    struct Kind {
      const char* name;
      const char* file;
    };
    static constexpr Kind kKinds[] = {{"threads", nullptr},
                                      {"cores", "topology/thread_siblings_list"},
                                      {"sockets", "topology/core_siblings_list"},
                                      {"ll_caches", "cache/index3/shared_cpu_list"},
                                      {"numa_domains", "node%u/cpulist"}};
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds), [this](const Kind& each) {
      return strncasecmp(at_, each.name, std::strlen(each.name)) == 0;
    });
    if (kind == std::end(kKinds)) {
      return fail("the names are threads, cores, sockets, ll_caches and numa_domains");
    }
    at_ += std::strlen(kind->name);
    skip();
    long most = CPU_SETSIZE;
    if (take('(')) {
      most = read_number("a number of places is missing behind the parenthesis");
      if (most < 1) fail("there is at least 1 place");
      if (!take(')')) fail("a closing parenthesis is missing");
    }
    if (mistake_ == nullptr) {
      places_ = places_by(kind->file, usable_, static_cast<std::size_t>(most));
    }
  }

  void read_items() {
    do {
      const bool removes = take('!');
      cpu_set_t set;
      CPU_ZERO(&set);
      if (take('{')) {
        do read_processors(set);
        while (take(','));
        if (!take('}')) fail("a closing brace is missing");
      } else {
        CPU_SET(processor(read_number("a place is missing"), 0), &set);
      }
      for_each(read_repeat(), [&](long by) { use(shifted(set, by), removes); });
    } while (mistake_ == nullptr && take(','));
  }
  void read_processors(cpu_set_t& set) {
    const bool removes = take('!');
    const long first = read_number("the number of a processor is missing");
    for_each(read_repeat(), [&](long by) {
      const unsigned cpu = processor(first, by);
      if (removes) {
        CPU_CLR(cpu, &set);
      } else {
        CPU_SET(cpu, &set);
      }
    });
  }
  cpu_set_t shifted(const cpu_set_t& set, long by) {
    if (by == 0) return set;
    cpu_set_t moved;
    CPU_ZERO(&moved);
    for (long cpu = 0; cpu < CPU_SETSIZE && mistake_ == nullptr; ++cpu) {
      if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) CPU_SET(processor(cpu, by), &moved);
    }
    return moved;
  }
  void use(const cpu_set_t& set, bool removes) {
    if (!removes) return places_.push_back(set);
    const std::size_t erased =
        std::erase_if(places_, [&](const cpu_set_t& each) { return CPU_EQUAL(&each, &set) != 0; });
    if (erased == 0) fail("it takes away a place that is not in the list before");
  }
  void drop_unusable() {
    for (cpu_set_t& place : places_) CPU_AND(&place, &place, &usable_);
    const std::size_t all = places_.size();
    std::erase_if(places_, [](const cpu_set_t& place) { return CPU_COUNT(&place) == 0; });
    if (places_.empty()) return fail("this process may use none of these processors");
    if (places_.size() == all) return;
    std::fprintf(stderr, "\nlibgomp: Of the %zu places %s this process can use only %zu\n", all,
                 text_, places_.size());
  }

  const char* text_;
  const char* at_;
  const cpu_set_t& usable_;
  std::vector<cpu_set_t> places_;
  const char* mistake_ = nullptr;
};

}  // namespace

PlaceList read_place_list(const char* text, const cpu_set_t& usable) {
  return Reader(text, usable).read();
}

PlaceList read_cpu_list(const char* text, const cpu_set_t& usable) {
  return Reader(text, usable).read_cpus();
}

std::vector<cpu_set_t> places_of_one(const cpu_set_t& usable) {
  return places_by(nullptr, usable, CPU_SETSIZE);
}

}  // namespace myr::omp
