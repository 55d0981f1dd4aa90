// SPDX-License-Identifier: Apache-2.0
//
// What the code that myrcc writes for C++ is made of: a task is made in place, from the accesses
// that its pragma declares and a closure. For translated programs only; nothing here is meant to be
// called by hand. C++14, as translated programs may be older than myr.hpp.
//
//   ::myr::pragma::task(MYR_PRAGMA_SITE("main", 5), myr_piece(...))([=]() mutable { ... });
#pragma once

#include <myr/pragma.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#define MYR_PRAGMA_SITE(function, column)                                \
  ([]() noexcept -> const myr_site* {                                    \
    static const myr_site site = {__FILE__, function, __LINE__, column}; \
    return &site;                                                        \
  }())

namespace myr {
namespace pragma {

inline std::size_t count_of() noexcept { return 0; }
template <class... More>
std::size_t count_of(const myr_access&, const More&... more) noexcept {
  return 1 + count_of(more...);
}
template <class... More>
std::size_t count_of(const myr_box& box, const More&... more) noexcept {
  return myr_box_count(box) + count_of(more...);
}

inline void put(myr_access*) noexcept {}
template <class... More>
void put(myr_access* next, const myr_access& access, const More&... more) noexcept {
  *next = access;
  put(next + 1, more...);
}
template <class... More>
void put(myr_access* next, const myr_box& box, const More&... more) noexcept {
  put(myr_put_box(next, box), more...);
}

inline void rethrow_failure() {
#if defined(__cpp_exceptions)
  if (void* failure = myr_take_failure()) {
    const std::unique_ptr<std::exception_ptr> owned(static_cast<std::exception_ptr*>(failure));
    std::rethrow_exception(*owned);
  }
#endif
}

template <class... Accesses>
void wait(const myr_site* site, const Accesses&... accesses) {
  const std::size_t count = count_of(accesses...);
  const std::unique_ptr<myr_access[]> list(new myr_access[count + 1]);
  put(list.get(), accesses...);
  myr_wait_at(list.get(), count, site);
  rethrow_failure();
}
inline void wait_all(const myr_site* site) {
  myr_wait_all_at(site);
  rethrow_failure();
}

// The region that a pragma names: a C id, or a handle of myr.hpp.
inline myr_region region_of(myr_region region) noexcept { return region; }
template <class Region>
auto region_of(const Region& region) noexcept -> decltype(region.id()) {
  return region.id();
}

template <class Body>
struct Closure {
  Body body;
#ifdef MYR_PRAGMA_FINAL
  int final;
#endif

  static void run(void* memory, const myr_access*) {
    Closure* const self = static_cast<Closure*>(memory);
    struct Destroy {
      Closure* closure;
      ~Destroy() { closure->~Closure(); }
    } destroy{self};
#if defined(__cpp_exceptions)
    try {
      self->call();
    } catch (...) {
      myr_task_failed(new std::exception_ptr(std::current_exception()));
    }
#else
    self->call();
#endif
  }

  void call() {
#ifdef MYR_PRAGMA_FINAL
    struct Restore {
      int outer;
      ~Restore() { myr_in_final = outer; }
    } restore{myr_in_final};
    myr_in_final = final;
#endif
    body();
  }
};

// A task that has its accesses and lacks its closure. Lives within one expression.
template <class... Accesses>
class Task {
 public:
  Task(const myr_site* site, const Accesses&... accesses) : site_(site), accesses_(accesses...) {}

  // Runs at once, as a part of the caller, if `apart` is false; so do all tasks below it if
  // `final`.
  Task& when(bool apart, bool final) noexcept {
    apart_ = apart;
    final_ = final;
    return *this;
  }

  template <class Body>
  void operator()(Body body) {
    apply(std::move(body), std::index_sequence_for<Accesses...>{});
  }

 private:
  template <class Body, std::size_t... I>
  void apply(Body&& body, std::index_sequence<I...>) {
    using Packed = Closure<Body>;
    static_assert(alignof(Packed) <= 16, "what a task takes along is aligned to 16 bytes");
#ifdef MYR_PRAGMA_FINAL
    const int final = final_ || myr_in_final;
    const bool apart = apart_ && !final;
#else
    const bool apart = apart_;
#endif
    if (!apart) {
      wait(site_, std::get<I>(accesses_)...);
#ifdef MYR_PRAGMA_FINAL
      Packed{std::move(body), final}.call();
#else
      Packed{std::move(body)}.call();
#endif
      return;
    }
    const myr_draft draft = myr_draft_new(sizeof(Packed), count_of(std::get<I>(accesses_)...));
    put(draft.accesses, std::get<I>(accesses_)...);
#ifdef MYR_PRAGMA_FINAL
    ::new (draft.closure) Packed{std::move(body), 0};
#else
    ::new (draft.closure) Packed{std::move(body)};
#endif
    myr_submit_at(draft, &Packed::run, site_);
  }

  const myr_site* site_;
  std::tuple<Accesses...> accesses_;
  bool apart_ = true;
  bool final_ = false;
};

template <class... Accesses>
Task<Accesses...> task(const myr_site* site, const Accesses&... accesses) {
  return Task<Accesses...>(site, accesses...);
}

}  // namespace pragma
}  // namespace myr
