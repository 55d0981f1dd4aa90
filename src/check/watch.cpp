// SPDX-License-Identifier: Apache-2.0
#include "check/watch.hpp"

#include <sys/single_threaded.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/misuse.hpp"
#include "check/atomic_updates.hpp"
#include "check/omp_watch.hpp"
#include "check/program_code.hpp"
#include "check/sentences.hpp"
#include "plat/stack_bounds.hpp"

namespace myr::check {

constinit thread_local bool Watch::is_watching_ = false;
constinit thread_local bool Watch::is_main_ = false;
constinit thread_local bool Watch::is_inside_ = false;
bool Watch::is_openmp_ = false;
unsigned Watch::left_alone_ = 0;
Lines Watch::lines_;
Lines Watch::output_lines_;
constinit thread_local Watch::Call Watch::calls_[kCallsMost] = {};
constinit thread_local std::size_t Watch::call_count_ = 0;
std::uint64_t Watch::lowest_frame_ = ~std::uint64_t{0};
bool Watch::begins_body_ = false;

// The checker's own accesses are not the program's, even where it calls code that the program has
// compiled, such as inline functions of the standard library.
class Watch::Inside {
 public:
  explicit Inside(const Watch& watch) noexcept : watch_(watch), before_(is_inside_) {
    is_inside_ = true;
    is_watching_ = false;
  }
  ~Inside() {
    is_inside_ = before_;
    if (!before_) is_watching_ = watch_.must_watch();
    lowest_frame_ = watch_.footprints_.lowest_frame();
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

template <class Tell>
void Watch::change(Tell tell_footprints) {
  if (!is_main_) return;
  const Inside inside(*this);
  leave_written();
  tell_footprints();
  for (const Finding& finding : footprints_.take_late()) tell(finding);
  reports_.say_last();
  others_.clear();
  forget_lines();
}

bool Watch::must_watch() const noexcept {
  return is_main_ && left_alone_ == 0 && (is_openmp_ || !footprints_.is_free());
}

void Watch::come_back() noexcept {
  const Inside inside(*this);
  left_alone_ -= 1;
}

void Watch::start(const Memory& memory) {
  const Inside inside(*this);
  footprints_.start(memory, stack_end_);
  has_tasks_ = true;
  reports_.start();
  const char* const wasted = std::getenv("MYR_CHECK_WASTED");
  if (wasted != nullptr && *wasted != 0) footprints_.look_for_wasted();
  thread_locals_ = thread_locals();
  modules_.find(*reinterpret_cast<const std::uint64_t*>(&memory));  // its functions are there
  if (!modules_.is_by_clang()) outputs_.use_pattern();
  foreign_calls_.intercept(modules_);
  __libc_single_threaded = 0;  // so that libraries count references by atomic operations
  forget_lines();
}

void Watch::begin(const Task& task) {
  if (!is_main_) return;
  const Inside inside(*this);
  change([&] {
    footprints_.begin(task);
    add_outputs(task);
  });
  reports_.show_progress(footprints_.task_count());
  const auto is_in_any_order = [](const myr_access& access) {
    return (access.flags & (MYR_COMMUTATIVE | MYR_CONCURRENT)) != 0;
  };
  if (std::any_of(task.accesses, task.accesses + task.access_count, is_in_any_order)) {
    reports_.doubt(Doubt::AnyOrder, base::describe(task.site));
  }
  begins_body_ = true;
}

void Watch::end() {
  begins_body_ = false;
  change([&] {
    const myr_site* const site = outputs_.site();
    if (outputs_.end()) reports_.note_unwritten(site);
    footprints_.end();
  });
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

void Watch::cancelled(const myr_site* site) { note_doubt_at(Doubt::Cancels, site); }
void Watch::asked(const myr_site* site) { note_doubt_at(Doubt::Questions, site); }

void Watch::note_doubt_at(Doubt doubt, const myr_site* site) {
  if (!is_main_) return;
  const Inside inside(*this);
  reports_.doubt(doubt, base::describe(site));
}

void Watch::allocated(const void* first, std::size_t bytes, std::size_t room,
                      const myr_site* site) {
  if (!is_main_) return;
  forget(first, room);
  note(first, bytes, nullptr, site);
}

void Watch::freed(const void* first, const myr_site* site) {
  const auto begin = reinterpret_cast<std::uint64_t>(first);
  change([&] {
    if (first == nullptr) outputs_.give_back_all();
    outputs_.give_back({begin, begin + footprints_.block_around(begin).bytes});
    footprints_.freed(begin, site);
  });
}

// ---- what the program does ----------------------------------------------------------------------

void Watch::look(const Touch& touch) noexcept {
  if (touch.writes && output_lines_.have(touch.address, touch.bytes, true)) {
    return write_output(touch);
  }
  const Inside inside(*this);
  if (is_openmp_) {
    const bool is_in_line = touch.address % Lines::kBytes + touch.bytes <= Lines::kBytes;
    omp::look(touch);
    if (!touch.is_atomic && is_in_line) lines_.note(touch.address, touch.bytes, touch.writes);
    return;
  }
  if (modules_.is_of_others(touch.address)) return;
  const std::uint64_t line = touch.address & ~(Lines::kBytes - 1);
  if (!touch.writes && modules_.is_constant(touch.address)) {
    if (touch.address + touch.bytes <= line + Lines::kBytes) {
      lines_.note(touch.address, touch.bytes, false);
    }
    return;
  }
  if (contain(thread_locals_, touch.address)) {
    if (footprints_.is_in_task()) reports_.doubt(Doubt::ThreadLocals, calls(touch.place));
    return;
  }
  leave_written();
  const bool is_output = outputs_.overlap({line, touch.address + touch.bytes + Lines::kBytes});
  if (is_output) look_at_output(touch);
  const bool has_locks = footprints_.has_locks();
  if (has_locks && !touch.is_atomic) hand_over(touch);
  const auto stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const bool looks_for_wasted = footprints_.looks_for_wasted();
  if (looks_for_wasted) footprints_.note_used(touch);
  const bool is_in_line =
      !has_locks && !touch.is_atomic && touch.address + touch.bytes <= line + Lines::kBytes;
  if (is_in_line && !looks_for_wasted &&
      footprints_.allows({line, Lines::kBytes, touch.writes, nullptr}, stack)) {
    const bool is_as_others =
        !is_output || (!touch.writes && outputs_.are_written({line, line + Lines::kBytes}));
    if (is_as_others) {
      note_lines(line, touch.writes, stack);
    } else {
      lines_.note(touch.address, touch.bytes, touch.writes);
      if (touch.writes) output_lines_.note(line, Lines::kBytes, true);
    }
  } else {
    if (const Finding finding = footprints_.look(touch, stack)) tell(finding);
    if (is_in_line) lines_.note(touch.address, touch.bytes, touch.writes);
  }
}

// A task that goes through memory line by line gets ever more lines at a time.
void Watch::note_lines(std::uint64_t line, bool writes, std::uint64_t stack) {
  const auto goes_on = [&](const Run& run) { return run.end == line && run.writes == writes; };
  const auto known = std::find_if(runs_.begin(), runs_.end(), goes_on);
  const bool is_new = known == runs_.end();
  Run& run = is_new ? runs_[next_run_++ % runs_.size()] : *known;
  run = {line, is_new ? 1 : std::min(2 * run.lines, kLinesMost), writes};
  if (run.lines != 1 && !allows_all({line, line + run.lines * Lines::kBytes}, writes, stack)) {
    run.lines = 1;
  }
  run.end = line + run.lines * Lines::kBytes;
  for (; line != run.end; line += Lines::kBytes) lines_.note(line, Lines::kBytes, writes);
}

// And is it all of one object, of which nothing is looked at in another way?
bool Watch::allows_all(const Bytes& bytes, bool writes, std::uint64_t stack) const {
  const auto has_some = [&](const Bytes& other) {
    return bytes.begin < other.end && other.begin < bytes.end;
  };
  return footprints_.allows({bytes.begin, bytes.end - bytes.begin, writes, nullptr}, stack) &&
         footprints_.block_around(bytes.begin).first ==
             footprints_.block_around(bytes.end - 1).first &&
         !outputs_.overlap(bytes) &&
         std::none_of(thread_locals_.begin(), thread_locals_.end(), has_some);
}

// ---- locks and hand-overs -----------------------------------------------------------------------

namespace {
template <class Visit>
void visit_words(const Bytes& bytes, Visit visit) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  constexpr std::uint64_t kMost = 64 * kWord;
  const std::uint64_t end = std::min(bytes.end, bytes.begin + kMost);
  for (std::uint64_t at = (bytes.begin + kWord - 1) & ~(kWord - 1); at + kWord <= end;
       at += kWord) {
    visit(*reinterpret_cast<const std::uint64_t*>(at));
  }
}
}  // namespace

void Watch::hand_over(const Touch& touch) {
  const Bytes bytes{touch.address, touch.address + touch.bytes};
  if (touch.writes) {
    written_ = bytes;  // in a moment
  } else {
    visit_words(bytes, [&](std::uint64_t pointer) { footprints_.take(pointer); });
  }
}

void Watch::leave_written() {
  const Bytes written = std::exchange(written_, {});
  visit_words(written, [&](std::uint64_t pointer) { footprints_.leave(pointer); });
}

// While no task runs, main does everything in the same order always.
void Watch::note_doubt(Doubt doubt, const void* place) noexcept {
  const bool lasts = doubt == Doubt::SharedPages;
  if (!lasts && (!has_tasks_ || footprints_.is_free())) return;
  if (!modules_.is_for_program(place)) return;
  const bool is_mains_own = doubt == Doubt::Clocks || doubt == Doubt::Statics;
  if (is_mains_own && !footprints_.is_in_task()) return;
  const Inside inside(*this);
  reports_.doubt(doubt, calls(place_of_program(place)));
}

// The program may see how one of its loops is cut into parts; `place` is in Myrmidon's headers.
void Watch::note_cut(const void* place) noexcept {
  const Inside inside(*this);
  reports_.doubt(Doubt::Parts, symbols_of_program().line_of(calls(place)));
}

// A call that touches only what the task may touch, and remembers nothing, cannot matter to others.
void Watch::look_at_call(ForeignFunction& function, const ForeignCalls::Arguments& arguments,
                         const void* place) noexcept {
  const Knowledge& known = function.knowledge;
  const bool always_matters = known.asks_machine || known.is_of_thread;
  if ((footprints_.is_free() && !always_matters) || left_alone_ != 0) return;
  const Inside inside(*this);
  const auto stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const auto may_use = [&](const Pointer& pointer) {
    const std::uint64_t address = arguments[pointer.argument];
    return modules_.is_constant(address) ||
           footprints_.allows({address, 1, pointer.is_written, place}, stack);
  };
  const bool touches_own =
      std::all_of(known.pointers.begin(), known.pointers.end(), [&](const Pointer& pointer) {
        return pointer.argument >= arguments.size() || may_use(pointer);
      });
  if (known.asks_machine) reports_.note_workers();
  const bool depends =
      known.is_of_thread || (footprints_.is_in_task() && known.may_depend_on_others);
  if (!depends && !known.may_touch_others && touches_own) return;
  reports_.doubt_call(function.name, calls(place));
  ForeignCalls::release(function);
}

void Watch::lock(const volatile void* lock, bool is_shared, const void* place) noexcept {
  if (is_openmp_) return omp::took_lock(reinterpret_cast<std::uint64_t>(lock));
  if (!has_tasks_) return;
  note_doubt(Doubt::Locks, place);
  change([&] { footprints_.lock({reinterpret_cast<std::uint64_t>(lock), is_shared}); });
}

void Watch::unlock(const volatile void* lock) noexcept {
  if (is_openmp_) return omp::lets_lock_go(reinterpret_cast<std::uint64_t>(lock));
  if (!has_tasks_) return;
  change([&] { footprints_.unlock(reinterpret_cast<std::uint64_t>(lock)); });
}

Watch::Atomic::Kind Watch::kind_in_openmp(const Atomic& atomic, const void* place) const {
  const bool is_update = atomic.kind == Atomic::Kind::Load && begins_update(place, modules_);
  return is_update ? Atomic::Kind::Update : atomic.kind;
}

void Watch::look_at_atomic(const Atomic& atomic, const void* place) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(atomic.address);
  const Inside inside(*this);
  const auto kind = is_openmp_ ? kind_in_openmp(atomic, place) : atomic.kind;
  const bool writes = kind != Atomic::Kind::Load;
  const Touch touch{address, atomic.bytes, writes, place, true};
  if (is_openmp_) {
    look(touch);
    return omp::synchronize(address, kind, atomic.order);
  }
  const auto stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const bool reads = atomic.kind != Atomic::Kind::Store;
  if (reads) look_at_output({address, atomic.bytes, false, place});
  if (!footprints_.allows(touch, stack)) {
    doubt_atomic(touch);
  } else if (!footprints_.is_in_task() && !footprints_.is_free()) {
    doubt_atomic_of_main(touch);
  }
  look(touch);
  if (atomic.bytes == sizeof(void*)) {
    footprints_.take(atomic.before);
    if (writes) footprints_.leave(atomic.after);
  }
  if (atomic.kind == Atomic::Kind::Add) footprints_.count(address, atomic.after == 0);
  if (writes) change_claim(atomic);
}

// Main may touch all, but so may its tasks, by atomic operations, at the same time.
void Watch::doubt_atomic_of_main(const Touch& touch) {
  if (touch.writes) {
    const auto load = atomic_loads_.find(touch.address);
    if (load != atomic_loads_.end()) reports_.doubt(Doubt::Atomics, load->second);
    atomic_writes_.insert(touch.address);
  } else if (atomic_writes_.contains(touch.address)) {
    reports_.doubt(Doubt::Atomics, calls(touch.place));
  }
}

// Memory that is only read does not depend on an order.
void Watch::doubt_atomic(const Touch& touch) {
  const auto [load, is_first] = atomic_loads_.try_emplace(touch.address);
  if (!touch.writes) {
    if (is_first) load->second = calls(touch.place);
    if (atomic_writes_.contains(touch.address)) reports_.doubt(Doubt::Atomics, calls(touch.place));
    return;
  }
  atomic_writes_.insert(touch.address);
  if (is_first) {
    atomic_loads_.erase(load);
  } else {
    reports_.doubt(Doubt::Atomics, load->second);
  }
  reports_.doubt(Doubt::Atomics, calls(touch.place));
}

// A task that swaps 0 and 1 holds a lock until it changes the value again, or ends: a spin lock, or
// a claim to do something alone.
void Watch::change_claim(const Atomic& atomic) {
  const auto address = reinterpret_cast<std::uint64_t>(atomic.address);
  const bool is_swap = atomic.kind == Atomic::Kind::Swap;
  if (is_swap && atomic.before == atomic.after) return;
  const bool is_claim = is_swap && (atomic.before | atomic.after) == 1;
  if (!footprints_.holds(address) && is_claim) {
    footprints_.lock({address, false});
  } else {
    footprints_.unlock(address);
  }
  forget_lines();
}

void Watch::note_body(const void* place) noexcept {
  const Inside inside(*this);
  begins_body_ = false;
  modules_.note_body(place);
}

// The function that returns has its return address at the end of its frame, which is at most where
// the one that has called it has the end of its own: behind what the compiler's call keeps there, a
// return address and a frame's.
void Watch::leave_frame(std::uint64_t frame) noexcept {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  const auto place = reinterpret_cast<std::uint64_t>(call(call_count_).place);
  const std::uint64_t end = call(call_count_ - 1).frame + 2 * kWord;
  while (frame < end && *reinterpret_cast<const std::uint64_t*>(frame) != place) frame += kWord;
  if (frame < end) change([&] { footprints_.left_frames(frame); });
}

// ---- memory and modules -------------------------------------------------------------------------

void Watch::note(const void* first, std::size_t bytes, const void* place,
                 const myr_site* site) noexcept {
  const Inside inside(*this);
  constexpr std::size_t kMost = 6;  // calls: the innermost ones may be of libraries
  const Footprints::Places* const places =
      site != nullptr ? nullptr : &*allocations_.insert(calls(place, kMost)).first;
  const auto begin = reinterpret_cast<std::uint64_t>(first);
  footprints_.allocated(begin, bytes, places, site);
  if (left_alone_ == 0 && place != nullptr && modules_.is_of_program(place)) {
    footprints_.made_by_program(begin, bytes, place);
  }
  if (is_openmp_) omp::allocated(begin, bytes);
  forget_lines();
}

void Watch::forget(const void* first, std::size_t bytes) noexcept {
  const Inside inside(*this);
  footprints_.gone(reinterpret_cast<std::uint64_t>(first), bytes);
  forget_lines();
}

void Watch::give_back(const void* first, std::size_t bytes, const void* place) noexcept {
  const Inside inside(*this);
  leave_written();
  const auto begin = reinterpret_cast<std::uint64_t>(first);
  if (is_openmp_) omp::freed(begin, bytes);
  outputs_.give_back({begin, begin + bytes});
  if (has_tasks_ && !footprints_.is_free() && modules_.is_of_program(place)) {
    const Finding finding = footprints_.give_back(begin, bytes, place);
    if (finding && !is_in_callback()) tell(finding);
  }
  footprints_.gone(begin, bytes);
  forget_lines();
}

// If the runtime is linked into the program, it is the code there that has no debug information.
bool Watch::is_of_runtime(const void* place) const {
  return modules_.is_of_runtime(place) &&
         (!modules_.is_of_program(place) || symbols_of_program().first_line_of({place}).empty());
}

// Has the runtime called the program to destroy what it has kept for tasks? It knows that they are
// over.
bool Watch::is_in_callback() const {
  for (std::size_t i = call_count_; i-- != 0 && call_count_ - i <= kCallsMost;) {
    const void* const place = call(i).place;
    if (modules_.is_body(place)) return false;
    if (is_of_runtime(place)) return true;
  }
  return false;
}

void Watch::add_modules() noexcept {
  const Inside inside(*this);
  if (!modules_.has_checked()) {
    is_main_ = true;  // whoever runs the program's constructors
    process_ = getpid();
    stack_end_ = reinterpret_cast<std::uint64_t>(plat::this_thread_stack().high);
  }
  modules_.find_checked();
}

// ---- what is said -------------------------------------------------------------------------------

// What a library did for the program is said to be done by the code that called it.
const void* Watch::place_of_program(const void* place) const {
  if (place == nullptr || modules_.is_of_program(place)) return place;
  struct Search {
    const Modules& modules;
    const void* found;
  } search{modules_, place};
  const auto look_at = [](_Unwind_Context* frame, void* data) {
    auto& sought = *static_cast<Search*>(data);
    const auto* const at = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    if (!sought.modules.is_of_program(at)) return _URC_NO_REASON;
    sought.found = at;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look_at, &search);
  return search.found;
}

// ---- OpenMP -------------------------------------------------------------------------------------

void Watch::start_openmp() {
  if (is_openmp_) return;
  is_openmp_ = true;
  reports_.start();
  forget_lines();
}

std::string Watch::describe_allocated(std::uint64_t address) const {
  const Footprints::Block block = footprints_.block_around(address);
  return block.bytes == 0 ? "of a local variable" : describe(block, address);
}

Bytes Watch::block_of_thread(std::uint64_t address) const {
  const Footprints::Block block = footprints_.block_around(address);
  const Bytes bytes{block.first, block.first + block.bytes};
  return point_to(thread_locals(), bytes) ? bytes : Bytes{0, 0};
}

// -------------------------------------------------------------------------------------------------

void Watch::tell(const Finding& finding) {
  const Footprints::Block block = footprints_.block_around(finding.first_wrong);
  const bool is_alone = finding.mistake == Mistake::Alone || finding.mistake == Mistake::ReadsAlone;
  if (!(is_alone && others_.contains(block.first))) {
    const Bytes bytes{block.first, block.first + block.bytes};
    if (point_to(thread_locals_, bytes) || point_to(thread_blocks_, bytes)) {
      thread_blocks_.push_back(bytes);
      return footprints_.note_thread_local(block);
    }
    others_.insert(block.first);
  }
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  reports_.add(finding,
               {.places = calls(place_of_program(finding.touch.place)),
                .block = block,
                .is_on_stack = frame < finding.first_wrong && finding.first_wrong < stack_end_,
                .block_around = [this](std::uint64_t address) {
                  return footprints_.block_around(address);
                }});
}

Footprints::Places Watch::calls(const void* place, std::size_t most) const {
  Footprints::Places places{place};
  for (std::size_t i = call_count_; i-- != 0 && call_count_ - i <= most;) {
    places.push_back(call(i).place);
  }
  return places;
}

bool Watch::ends_here() noexcept {
  return is_main_ && !is_inside_ && instance().process_ == getpid();
}

// The last that is asked, as it takes long for large programs.
void Watch::doubt_code() {
  const UntoldCode untold = find_untold_code(symbols_of_program().files(), modules_);
  if (!untold.unchecked.empty()) reports_.doubt(Doubt::Unchecked, untold.unchecked);
  if (!untold.structures.empty()) reports_.doubt(Doubt::Structures, untold.structures);
  if (!ForeignCalls::is_possible()) reports_.doubt(Doubt::Unchecked, "libraries");
}

bool Watch::sum_up() {
  const Inside inside(*this);
  is_main_ = false;  // nothing is watched any more
  if (!modules_.has_checked()) {
    std::fputs(
        "myr check: nothing was checked: the program is not compiled with "
        "-fsanitize=thread (and -shared-libsan with clang)\n",
        stderr);
    return false;
  }
  reports_.say_last();
  const bool has_checked_tasks = footprints_.task_count() != 0 || reports_.has_mistakes();
  if (!is_openmp_ && !has_checked_tasks) {
    std::fputs(
        "myr check: nothing was checked: main's thread has spawned no task, and has entered no "
        "parallel region\n",
        stderr);
    return false;
  }
  if (is_openmp_) reports_.sum_up_races();
  if (has_checked_tasks) sum_up_tasks();
  reports_.write_json(footprints_.task_count());
  return reports_.count() != 0;
}

void Watch::sum_up_tasks() {
  if (reports_.doubts_nothing()) doubt_code();
  for (const Wasted::Found& found : footprints_.wasted().found()) reports_.add(found);
  reports_.sum_up(footprints_.task_count());
}

}  // namespace myr::check
