// SPDX-License-Identifier: Apache-2.0
#include "chip/mpi/virtual_clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/contract.hpp"

namespace myr::ranks {

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

}  // namespace

// What a rank runs on; as an event: the rank goes on.
class VirtualClock::AgentContext final : public Event {
 public:
  AgentContext(VirtualClock& owner, Rank index) : rank(index), owner_(owner) {}

  const Rank rank;
  Cycles clock = 0;
  bool is_asleep = false;
  bool has_ended = false;

  [[nodiscard]] base::Result<bool> prepare(Program program, void* argument) {
    program_ = program;
    argument_ = argument;
    auto fiber = plat::Fiber::create(kStackBytes, &AgentContext::body, this);
    if (!fiber) return fiber.error();
    fiber_ = std::move(*fiber);
    return true;
  }

  void happen() override {
    MYR_ASSERT(!is_asleep && clock <= owner_.now());
    clock = owner_.now();
    owner_.running_ = this;
    plat::Fiber::switch_to(*owner_.home_, *fiber_);
    owner_.running_ = nullptr;
  }
  void leave() noexcept { plat::Fiber::switch_to(*fiber_, *owner_.home_); }

 private:
  // A program that throws ends the process here.
  static void body(void* argument) noexcept {
    auto& self = *static_cast<AgentContext*>(argument);
    self.program_(self.argument_);
    self.has_ended = true;
    self.leave();
  }

  VirtualClock& owner_;
  std::unique_ptr<plat::Fiber> fiber_;
  Program program_ = nullptr;
  void* argument_ = nullptr;
};

VirtualClock::VirtualClock(Chip chip, Rank rank_count)
    : chip_(std::move(chip)), home_(plat::Fiber::of_this_thread()) {
  MYR_ASSERT(rank_count <= chip_.cores().weak);
  for (Rank rank = 0; rank < rank_count; ++rank) {
    ranks_.push_back(std::make_unique<AgentContext>(*this, rank));
  }
}

VirtualClock::~VirtualClock() = default;

base::Result<bool> VirtualClock::run(Program program, void* argument) {
  for (const auto& context : ranks_) {
    if (auto ready = context->prepare(program, argument); !ready) return ready;
    schedule(0, *context);
  }
  while (!queue_.is_empty() && why_stopped_.empty()) queue_.pop()->happen();
  return true;
}

void VirtualClock::stop(std::string why) {
  if (why_stopped_.empty()) why_stopped_ = std::move(why);
}

bool VirtualClock::has_ended(Rank rank) const { return ranks_[rank]->has_ended; }

Cycles VirtualClock::end() const {
  Cycles end = 0;
  for (const auto& context : ranks_) end = std::max(end, context->clock);
  return end;
}

Rank VirtualClock::running() const {
  MYR_ASSERT(running_ != nullptr);
  return running_->rank;
}

Cycles VirtualClock::clock() const {
  MYR_ASSERT(running_ != nullptr);
  return running_->clock;
}

void VirtualClock::work(Cycles weak_cycles) {
  MYR_ASSERT(running_ != nullptr);
  running_->clock += chip_.scaled(core_of(running_->rank), weak_cycles);
}

void VirtualClock::sleep() {
  MYR_ASSERT(running_ != nullptr);
  running_->is_asleep = true;
  running_->leave();
}

void VirtualClock::leave_for_ever() {
  MYR_ASSERT(running_ != nullptr && !why_stopped_.empty());
  running_->leave();
  std::abort();  // nobody comes back: a stopped virtual_clock goes on with no event
}

void VirtualClock::wake(Rank rank) {
  AgentContext& context = *ranks_[rank];
  MYR_ASSERT(context.is_asleep);
  context.is_asleep = false;
  schedule(std::max(context.clock, now()), context);
}

}  // namespace myr::ranks
