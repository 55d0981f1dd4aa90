// SPDX-License-Identifier: Apache-2.0
#include "cluster/misuse.hpp"

#include <string>

#include "base/access_text.hpp"
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "base/refusal.hpp"
#include "cluster/heap_store.hpp"

namespace myr::cluster {

namespace {

// Tasks and sites are aligned, so that the lowest bits tell what it is.
constexpr std::uint64_t kCallMask = 7;
static_assert(alignof(myr_site) > kCallMask && alignof(graph::Task) > kCallMask);

const char* name_of(Call call) {
  switch (call) {
    case Call::Spawn:
      return "spawn";
    case Call::Wait:
      return "wait";
    case Call::Free:
      return "myr_free";
    case Call::FreeRegion:
      return "myr_region_free";
  }
  return "";
}

std::string describe(const proto::Access& access) {
  const char* mode = access.mode == proto::Mode::Read ? "in" : "inout";
  if (access.node.is_region()) return base::format("{}(region {:#x})", mode, access.node.value());
  return base::format("{}({:#x})", mode, access.node.value());
}

std::string explain(sched::Misuse kind, const proto::Access& access) {
  switch (kind) {
    case sched::Misuse::NotHeld:
      return "it is outside the footprint of the calling task, which does not hold it; declare it "
             "there too, or a region around it";
    case sched::Misuse::ReadOnly:
      return "it is outside the footprint of the calling task, which holds it for reading only; "
             "declare it there with a mode that covers this one";
    case sched::Misuse::NoSuchNode:
      // The agent that was asked knows only what the task may hold.
      return access.node.is_region()
                 ? "there is no such region within what the calling task "
                   "holds: it has been freed, or is outside the footprint"
                 : "no live object starts there within what the calling task "
                   "holds: it has been freed, the pointer points into an object "
                   "(name its first byte, or give a length: in(*p), in(p, n)), or it is outside "
                   "the footprint";
    case sched::Misuse::NotInRegion:
      return "it is no object of the region that the loop's window names: it has been freed, or is "
             "in another region; allocate it there, or name its own";
    case sched::Misuse::PastTheEnd:
      return base::kPastTheEnd;
    case sched::Misuse::FreedWhileUsed:
      return "it is freed while in use: either it is an argument of the calling task, which cannot "
             "free its own argument, or a later call uses or frees it again";
    case sched::Misuse::LocalsInUse:
      break;
  }
  return {};
}

}  // namespace

void out_of_memory(const char* call, std::size_t bytes, std::size_t count, const myr_site* site) {
  base::refuse_memory(
      site, base::format("{}: out of memory: asked for {} object(s) of {} bytes; all regions "
                         "together may have {} MiB. Free some, or raise the limit (ulimit -v)",
                         call, count, bytes, kSharedPages));
}

void no_live_object(const char* call, const void* object, const myr_site* site) {
  base::refuse(site, base::format("{}: no live object starts at {}: it has been freed, was never "
                                  "allocated, or the pointer points into the middle of an object",
                                  call, object));
}

void root_is_not_freed(const myr_site* site) {
  base::refuse(site,
               "myr_region_free: region 0 is the root region and cannot be freed; it lasts until "
               "the program ends");
}

Call call_of(std::uint64_t program) noexcept { return static_cast<Call>(program & kCallMask); }

std::uint64_t program_of(const myr_site* site, Call call) noexcept {
  return reinterpret_cast<std::uintptr_t>(site) | static_cast<std::uint64_t>(call);
}
std::uint64_t program_of(graph::Task& task) noexcept {
  return reinterpret_cast<std::uintptr_t>(&task) | static_cast<std::uint64_t>(Call::Spawn);
}
graph::Task& graph_task_of(std::uint64_t program) noexcept {
  return *reinterpret_cast<graph::Task*>(program & ~kCallMask);
}

void report(sched::Misuse kind, std::uint64_t program, const proto::Access& access) {
  const Call call = call_of(program);
  report(kind, call,
         call == Call::Spawn ? graph_task_of(program).site
                             : reinterpret_cast<const myr_site*>(program & ~kCallMask),
         access);
}

void report(sched::Misuse kind, Call call, const myr_site* site, const proto::Access& access) {
  if (kind == sched::Misuse::LocalsInUse) {
    base::misuse(site,
                 "the task spawned here uses a local variable of its parent, which has already "
                 "returned; the parent must wait for the task before it returns");
  }
  base::misuse(
      site, base::format("{} with {}: {}", name_of(call), describe(access), explain(kind, access)));
}

}  // namespace myr::cluster
