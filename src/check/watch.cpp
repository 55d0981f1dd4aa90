// SPDX-License-Identifier: Apache-2.0
#include "check/watch.hpp"

#include <link.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <cstdio>

#include "plat/stack_bounds.hpp"

namespace myr::check {

constinit thread_local bool Watch::is_watching_ = false;
constinit thread_local bool Watch::is_main_ = false;
constinit thread_local bool Watch::is_inside_ = false;
unsigned Watch::left_alone_ = 0;
Lines Watch::lines_;
const void* Watch::calls_[kCallsMost];
std::size_t Watch::call_count_ = 0;

namespace {
bool contain(const std::vector<Bytes>& some, std::uint64_t address) noexcept {
  return std::any_of(some.begin(), some.end(), [address](const Bytes& one) {
    return one.begin <= address && address < one.end;
  });
}

template <class Visit>
void visit_modules(Visit visit) {
  const auto call = [](dl_phdr_info* module, std::size_t, void* data) {
    (*static_cast<Visit*>(data))(*module);
    return 0;
  };
  dl_iterate_phdr(call, &visit);
}

}  // namespace

// What the checker does itself is no program's: it may call what the program has compiled, too, as
// inline functions of the standard library.
class Watch::Inside {
 public:
  explicit Inside(const Watch& watch) noexcept : watch_(watch), before_(is_inside_) {
    is_inside_ = true;
    is_watching_ = false;
  }
  ~Inside() {
    is_inside_ = before_;
    if (!before_) is_watching_ = watch_.must_watch();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const Watch& watch_;
  bool before_;
};

// Never destroyed: the last destructors of the program are watched, too.
Watch& Watch::instance() noexcept {
  alignas(Watch) static char memory[sizeof(Watch)];
  static Watch* const watch = new (memory) Watch;
  return *watch;
}

// ---- what the engine tells ----------------------------------------------------------------------

template <class Call>
void Watch::change(Call call) {
  if (!is_main_) return;
  const Inside inside(*this);
  call();
  for (const Finding& finding : footprints_.take_late()) tell(finding);
  reports_.say_last();
  lines_.forget_all();
}

bool Watch::must_watch() const noexcept {
  return is_main_ && left_alone_ == 0 && !footprints_.is_free();
}

void Watch::come_back() noexcept {
  const Inside inside(*this);
  left_alone_ -= 1;
}

void Watch::start(const Memory& memory) {
  const Inside inside(*this);
  footprints_.start(memory);
  has_tasks_ = true;
  find_thread_locals();
  __libc_single_threaded = 0;  // so that libraries count references by atomic operations
  lines_.forget_all();
}

void Watch::begin(const Task& task) {
  change([&] { footprints_.begin(task); });
}

void Watch::end() {
  change([&] { footprints_.end(); });
}

void Watch::wait(const myr_access* accesses, std::size_t count) {
  change([&] { footprints_.wait(accesses, count); });
}

void Watch::wait_all() {
  change([&] { footprints_.wait_all(); });
}

void Watch::made_event() {
  change([&] { footprints_.made_event(); });
}

void Watch::allocated(const void* first, std::size_t bytes, std::size_t room,
                      const myr_site* site) {
  if (!is_main_) return;
  forget(first, room);
  note(first, bytes, nullptr, site);
}

void Watch::freed(const void* first, const myr_site* site) {
  change([&] { footprints_.freed(reinterpret_cast<std::uint64_t>(first), site); });
}

// ---- what the program does ----------------------------------------------------------------------

void Watch::look(const Touch& touch) noexcept {
  const Inside inside(*this);
  if (contain(thread_locals_, touch.address)) return;
  const auto stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const std::uint64_t line = touch.address & ~(Lines::kBytes - 1);
  const bool is_in_line = !touch.is_atomic && touch.address + touch.bytes <= line + Lines::kBytes;
  if (is_in_line && footprints_.allows({line, Lines::kBytes, touch.writes, nullptr}, stack)) {
    lines_.note(line, Lines::kBytes, touch.writes);
  } else {
    if (const Finding finding = footprints_.look(touch, stack)) tell(finding);
    if (is_in_line) lines_.note(touch.address, touch.bytes, touch.writes);
  }
}

void Watch::note(const void* first, std::size_t bytes, const void* place,
                 const myr_site* site) noexcept {
  const Inside inside(*this);
  constexpr std::size_t kMost = 6;  // calls: the innermost ones may be of libraries
  const Footprints::Places* const places =
      site != nullptr ? nullptr : &*allocations_.insert(calls(place, kMost)).first;
  footprints_.allocated(reinterpret_cast<std::uint64_t>(first), bytes, places, site);
  lines_.forget_all();
}

void Watch::forget(const void* first, std::size_t bytes) noexcept {
  const Inside inside(*this);
  footprints_.gone(reinterpret_cast<std::uint64_t>(first), bytes);
  lines_.forget_all();
}

void Watch::add_module(const void* place) noexcept {
  const Inside inside(*this);
  if (modules_.empty()) {
    is_main_ = true;  // whoever runs the program's constructors
    stack_end_ = reinterpret_cast<std::uint64_t>(plat::this_thread_stack().high);
  }
  if (is_checked(place)) return;
  const auto at = reinterpret_cast<std::uint64_t>(place);
  visit_modules([&](const dl_phdr_info& module) {
    for (int i = 0; i < module.dlpi_phnum; ++i) {
      const auto& segment = module.dlpi_phdr[i];
      const std::uint64_t begin = module.dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || at - begin >= segment.p_memsz) continue;
      modules_.push_back({begin, begin + segment.p_memsz});
    }
  });
}

bool Watch::is_checked(const void* place) const noexcept {
  return contain(modules_, reinterpret_cast<std::uint64_t>(place));
}

// What each thread has of its own, as errno, no two tasks use at the same time.
void Watch::find_thread_locals() {
  visit_modules([&](const dl_phdr_info& module) {
    const auto begin = reinterpret_cast<std::uint64_t>(module.dlpi_tls_data);
    for (int i = 0; i < module.dlpi_phnum && begin != 0; ++i) {
      const auto& segment = module.dlpi_phdr[i];
      if (segment.p_type == PT_TLS) thread_locals_.push_back({begin, begin + segment.p_memsz});
    }
  });
}

// ---- what is said -------------------------------------------------------------------------------

// Does a variable of which each thread has one of its own point into the block?
bool Watch::is_of_thread(const Footprints::Block& block) const {
  return std::any_of(thread_locals_.begin(), thread_locals_.end(), [&](const Bytes& variables) {
    constexpr std::uint64_t kPointer = sizeof(std::uint64_t);
    for (std::uint64_t at = variables.begin; at + kPointer <= variables.end; at += kPointer) {
      const std::uint64_t value = *reinterpret_cast<const std::uint64_t*>(at);
      if (value - block.first < block.bytes) return true;
    }
    return false;
  });
}

void Watch::tell(const Finding& finding) {
  const Footprints::Block block = footprints_.block_around(finding.first_wrong);
  if (block.bytes != 0 && is_of_thread(block)) return footprints_.note_thread_local(block);
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  reports_.add(finding,
               {.places = calls(finding.touch.place),
                .block = block,
                .is_on_stack = frame < finding.first_wrong && finding.first_wrong < stack_end_});
}

Footprints::Places Watch::calls(const void* place, std::size_t most) const {
  Footprints::Places places{place};
  for (std::size_t i = call_count_; i-- != 0 && call_count_ - i <= most;) {
    places.push_back(calls_[i % kCallsMost]);
  }
  return places;
}

bool Watch::sum_up() {
  const Inside inside(*this);
  is_main_ = false;  // nothing is watched any more
  if (modules_.empty()) {
    std::fputs(
        "myr check: nothing was checked: the program is not compiled with "
        "-fsanitize=thread (and -shared-libsan with clang)\n",
        stderr);
    return false;
  }
  if (!has_tasks_) {
    std::fputs("myr check: nothing was checked: the program has spawned no task\n", stderr);
    return false;
  }
  reports_.sum_up(footprints_.task_count());
  return reports_.count() != 0;
}

}  // namespace myr::check
