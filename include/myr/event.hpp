// SPDX-License-Identifier: Apache-2.0
//
// Events, which hold tasks open: a part of myr.hpp.
//
//   myr::spawn([](Buffer& b) { start_read(b, myr::Event::create()); }, myr::out(buffer));
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <exception>
#include <myr/exception.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace myr::inline v0 {

// An event has been destroyed that nobody had completed.
class BrokenEvent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What holds a task open after its function has returned, until any thread completes it. It has one
// owner, which completes it, or says that it has failed; if the owner goes without a word, it has
// failed. Failure of an event is failure of its task, as if that had thrown the exception at its
// end.
class Event {
 public:
  // Holds the calling task open.
  [[nodiscard]] static Event create(const void* site = __builtin_source_location()) {
    const auto* const at = static_cast<const myr_site*>(site);
    return Event(myr_event_new_at(at), at);
  }
  // Takes over what release() has returned, perhaps in another process.
  explicit Event(myr_event id, const void* site = __builtin_source_location()) noexcept
      : Event(id, static_cast<const myr_site*>(site)) {}
  Event(Event&& other) noexcept : id_(other.release()), site_(other.site_) {}
  Event& operator=(Event&& other) noexcept {
    Event taken(std::move(other));
    std::swap(id_, taken.id_);
    std::swap(site_, taken.site_);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (id_ != 0) break_off();
  }

  // It has happened. Any thread, once.
  void complete(const void* site = __builtin_source_location()) {
    myr_event_complete_at(release(), static_cast<const myr_site*>(site));
  }
#if defined(__cpp_exceptions)
  // It will never happen, as the exception says; in a catch block, the one that was caught.
  void fail(std::exception_ptr exception = std::current_exception(),
            const void* site = __builtin_source_location()) {
    if (exception == nullptr) exception = std::make_exception_ptr(BrokenEvent("an event failed"));
    myr_event_fail_at(release(), detail::hand_over(exception), static_cast<const myr_site*>(site));
  }
#endif
  // A number for C, for a callback: the one that has it completes the event, by
  // myr_event_complete(), or becomes its owner again, as Event(number). This one is none from now
  // on.
  [[nodiscard]] myr_event release() noexcept { return std::exchange(id_, 0); }

 private:
  Event(myr_event id, const myr_site* site) noexcept : id_(id), site_(site) {}
  void break_off() noexcept {
#if defined(__cpp_exceptions)
    const std::string line = std::to_string(site_->line);
    fail(std::make_exception_ptr(BrokenEvent("the event of " + std::string(site_->file) + ":" +
                                             line + " was destroyed before it was completed")),
         site_);
#else
    complete(site_);
#endif
  }

  myr_event id_;
  const myr_site* site_;  // where it came to be owned
};

}  // namespace myr::inline v0
