// SPDX-License-Identifier: Apache-2.0
#include "omp/places.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "omp/locks.hpp"
#include "omp/place_list.hpp"

namespace myr::omp {

namespace {

// Written when the library is loaded, and used until the process ends; nullptr: there is none.
const std::vector<cpu_set_t>* places = nullptr;
unsigned place_total = 0;
const char* format_of_program = nullptr;
sync::Atomic<bool> as_llvm{false};  // [omp.none]
constexpr char kUnknownField = '?';
constexpr const char* kUsualFormat = "level %L thread %i affinity %A";

void bind_to(Thread& self, pthread_t handle) {
  if (self.place != 0)
    pthread_setaffinity_np(handle, sizeof(cpu_set_t), &(*places)[self.place - 1]);
}

// Where a thread of a team is to run, and the places that it may give to teams of its own.
struct Spot {
  unsigned place;
  unsigned places_first, places_count;
};

// Each thread has a part of the places: as many as others or one less, its own among them.
Spot spot_of_part(const Thread& self, unsigned index, unsigned size) {
  const unsigned here = self.place - 1 - self.places_first;
  const unsigned each = self.places_count / size;
  const unsigned larger = self.places_count % size;
  const unsigned in_larger = larger * (each + 1);
  const unsigned own = here < in_larger ? here / (each + 1) : (here - larger) / each;
  const unsigned part = (own + index) % size;
  const unsigned first = self.places_first + part * each + (part < larger ? part : larger);
  return {index == 0 ? self.place : first + 1, first, each + (part < larger ? 1 : 0)};
}

Spot spot_of(const Thread& self, unsigned bind, unsigned index, unsigned size) {
  const unsigned first = self.places_first;
  const unsigned room = self.places_count;
  if (bind == kBindPrimary) return {self.place, first, room};
  if (bind == kBindSpread && size <= room) return spot_of_part(self, index, size);
  const unsigned here = self.place - 1 - first;
  const auto behind =
      size <= room ? index : static_cast<unsigned>(std::uint64_t{index} * room / size);
  const unsigned place = first + (here + behind) % room + 1;
  return bind == kBindSpread ? Spot{place, place - 1, 1} : Spot{place, first, room};
}

}  // namespace

namespace {

void keep_places(std::vector<cpu_set_t> list) {
  places = new std::vector<cpu_set_t>(std::move(list));
  place_total = static_cast<unsigned>(places->size());
}

}  // namespace

void read_places() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  const char* name = "OMP_PLACES";
  const char* text = settings.places;
  if (text == nullptr && settings.bind_levels == 0) {
    name = "GOMP_CPU_AFFINITY";
    text = std::getenv(name);
    if (text != nullptr) settings.icv.bind = kBindTrue;
  }
  if (text == nullptr) {
    if (settings.icv.bind != kBindFalse) keep_places(places_of_one(usable));
    return;
  }
  PlaceList list =
      text == settings.places ? read_place_list(text, usable) : read_cpu_list(text, usable);
  if (list.mistake == nullptr) {
    keep_places(std::move(list.places));
    return;
  }
  std::fprintf(stderr, "\nlibgomp: Invalid value for environment variable %s: %s: %s\n", name, text,
               list.mistake);
  if (settings.bind_levels == 0) settings.icv.bind = kBindFalse;
}

unsigned place_count() noexcept { return place_total; }
const cpu_set_t& place(unsigned index) noexcept { return (*places)[index]; }

void bind_first_thread(Thread& self) {
  self.place = 0;
  self.places_first = 0;
  self.places_count = place_total;
  if (place_total == 0 || settings.icv.bind == kBindFalse) return;
  self.place = 1;
  bind_to(self, pthread_self());
}

void choose_places(Thread& self, Team& team) {
  const std::uint32_t bind = team.bind != 0 ? team.bind : self.at.task->icv->bind;
  if (place_total == 0 || bind == kBindFalse || self.place == 0) return;
  for (unsigned i = 1; i < team.size; ++i) {
    Thread& worker = *team.slots[i].thread;
    const Spot spot = spot_of(self, bind, i, team.size);
    worker.wanted_place = spot.place;
    worker.places_first = spot.places_first;
    worker.places_count = spot.places_count;
  }
  const Spot own = spot_of(self, bind, 0, team.size);
  team.outer_places_first = std::exchange(self.places_first, own.places_first);
  team.outer_places_count = std::exchange(self.places_count, own.places_count);
}

void give_places_back(Thread& self, Team& team) noexcept {
  self.places_first = team.outer_places_first;
  self.places_count = std::exchange(team.outer_places_count, 0);
}

void move_to_place(Thread& self) {
  if (self.wanted_place == self.place) return;
  self.place = self.wanted_place;
  bind_to(self, pthread_self());
}

// ---- The description of a thread

namespace {

// A text of limited room that goes on counting.
class Text {
 public:
  Text(char* buffer, std::size_t room) : buffer_(buffer), room_(room) {}
  void add(char character) {
    if (length_ + 1 < room_) buffer_[length_] = character;
    length_ += 1;
  }
  void add(const char* text) {
    while (*text != 0) add(*text++);
  }
  [[nodiscard]] std::size_t finish() {
    if (room_ != 0) buffer_[length_ < room_ ? length_ : room_ - 1] = 0;
    return length_;
  }

 private:
  char* buffer_;
  std::size_t room_;
  std::size_t length_ = 0;
};

void describe_cpus(char* text, std::size_t room) {
  cpu_set_t set;
  CPU_ZERO(&set);
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  std::size_t length = 0;
  text[0] = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    unsigned last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    const char* comma = length == 0 ? "" : ",";
    const int added =
        last == cpu ? std::snprintf(text + length, room - length, "%s%u", comma, cpu)
                    : std::snprintf(text + length, room - length, "%s%u-%u", comma, cpu, last);
    length += static_cast<std::size_t>(added);
    if (length >= room) return;
    cpu = last;
  }
}

// The value of one field of the format, by its short or long name.
void describe_field(Thread& self, char field, char* text, std::size_t room) {
  const Place& at = self.at;
  const int ancestor = at.team->level == 0 ? -1 : static_cast<int>(at.team->outer.index);
  switch (field) {
    case 't':
      std::snprintf(text, room, "%d", self.team_number);
      break;
    case 'T':
      std::snprintf(text, room, "%d", self.team_count);
      break;
    case 'L':
      std::snprintf(text, room, "%u", at.team->level);
      break;
    case 'n':
      std::snprintf(text, room, "%u", at.index);
      break;
    case 'N':
      std::snprintf(text, room, "%u", at.team->size);
      break;
    case 'a':
      std::snprintf(text, room, "%d", ancestor);
      break;
    case 'P':
      std::snprintf(text, room, "%d", static_cast<int>(getpid()));
      break;
    case 'i':
      std::snprintf(text, room, "%ld", static_cast<long>(syscall(SYS_gettid)));
      break;
    case 'H':
      if (gethostname(text, room) != 0) text[0] = 0;
      break;
    case 'A':
      describe_cpus(text, room);
      break;
    default:
      std::snprintf(text, room, "undefined");
  }
}

char field_of_name(const char* name, std::size_t length) {
  struct {
    const char* name;
    char field;
  } const fields[] = {{"team_num", 't'},       {"num_teams", 'T'},   {"nesting_level", 'L'},
                      {"thread_num", 'n'},     {"num_threads", 'N'}, {"ancestor_tnum", 'a'},
                      {"host", 'H'},           {"process_id", 'P'},  {"native_thread_id", 'i'},
                      {"thread_affinity", 'A'}};
  for (const auto& [known, field] : fields) {
    if (std::strlen(known) == length && std::strncmp(known, name, length) == 0) return field;
  }
  return 0;
}

void add_padded(Text& text, const char* value, std::size_t width, bool right, bool zeros) {
  std::size_t length = std::strlen(value);
  const bool is_negative = zeros && *value == '-';
  if (is_negative) text.add(*value++);
  if (right) {
    for (; length < width; ++length) text.add(zeros ? '0' : ' ');
  }
  text.add(value);
  for (; length < width; ++length) text.add(' ');
}

}  // namespace

std::size_t describe_thread(Thread& self, const char* format, char* buffer, std::size_t room) {
  if (format == nullptr || *format == 0) format = affinity_format();
  const bool llvm = as_llvm.load(sync::relaxed);
  Text text(buffer, room);
  while (*format != 0) {
    if (*format != '%') {
      text.add(*format++);
      continue;
    }
    ++format;
    if (*format == '%') {
      text.add(*format++);
      continue;
    }
    bool zeros = false;
    bool right = false;
    if (*format == '0') {
      zeros = true;
      ++format;
      if (*format != '.' && !llvm) fail("leading zero not followed by dot in affinity format");
    }
    if (*format == '.') {
      right = true;
      ++format;
    }
    std::size_t width = 0;
    while (std::isdigit(static_cast<unsigned char>(*format))) {
      width = 10 * width + static_cast<std::size_t>(*format++ - '0');
    }
    char field = *format;
    if (field == '{') {
      const char* end = std::strchr(format, '}');
      if (end == nullptr) fail("unsupported long type name '%s' in affinity format", format + 1);
      field = field_of_name(format + 1, static_cast<std::size_t>(end - format - 1));
      if (field == 0 && llvm) field = kUnknownField;
      if (field == 0) fail("unsupported long type name in affinity format '%s'", format);
      format = end;
    }
    if (field == 0 || std::strchr("tTLnNaHPiA", field) == nullptr) {
      if (!llvm) fail("unsupported type %c in affinity format", field);
    }
    ++format;
    char value[1024];
    describe_field(self, field, value, sizeof value);
    add_padded(text, value, width, right, zeros);
  }
  return text.finish();
}

void set_affinity_format(const char* format) {
  const Lock lock(locks.affinity_format);
  char* copy = strdup(format);
  if (copy == nullptr) fail("Out of memory for an affinity format");
  std::free(const_cast<char*>(format_of_program));
  format_of_program = copy;
}

const char* affinity_format() {
  if (format_of_program != nullptr) return format_of_program;
  return settings.affinity_format != nullptr ? settings.affinity_format : kUsualFormat;
}

void describe_as_llvm() noexcept { as_llvm.store(true, sync::relaxed); }

void print_thread(Thread& self, const char* format) {
  char text[1024];
  const std::size_t length = describe_thread(self, format, text, sizeof text - 1);
  std::FILE* file = as_llvm.load(sync::relaxed) ? stdout : stderr;
  std::fprintf(file, "%.*s\n", static_cast<int>(length), text);
}

void announce_affinity(Thread& self) {
  if (MYR_LIKELY(!settings.display_affinity)) return;
  if (self.announced_size == self.at.team->size) return;
  self.announced_size = self.at.team->size;
  print_thread(self, nullptr);
}

}  // namespace myr::omp
