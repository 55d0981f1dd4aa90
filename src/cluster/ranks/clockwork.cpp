// SPDX-License-Identifier: Apache-2.0
#include "cluster/ranks/clockwork.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/contract.hpp"

namespace myr::cluster::ranks {

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

}  // namespace

// What a rank runs on; as an event: the rank goes on.
class Clockwork::Seat final : public Event {
 public:
  Seat(Clockwork& owner, Rank index) : rank(index), owner_(owner) {}

  const Rank rank;
  Cycles clock = 0;
  bool is_asleep = false;
  bool has_ended = false;

  [[nodiscard]] base::Result<bool> prepare(Program program, void* argument) {
    program_ = program;
    argument_ = argument;
    auto fiber = plat::Fiber::create(kStackBytes, &Seat::body, this);
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
    auto& self = *static_cast<Seat*>(argument);
    self.program_(self.argument_);
    self.has_ended = true;
    self.leave();
  }

  Clockwork& owner_;
  std::unique_ptr<plat::Fiber> fiber_;
  Program program_ = nullptr;
  void* argument_ = nullptr;
};

Clockwork::Clockwork(Chip chip, Rank rank_count)
    : chip_(std::move(chip)), home_(plat::Fiber::of_this_thread()) {
  MYR_ASSERT(rank_count <= chip_.cores().weak);
  for (Rank rank = 0; rank < rank_count; ++rank) {
    ranks_.push_back(std::make_unique<Seat>(*this, rank));
  }
}

Clockwork::~Clockwork() = default;

base::Result<bool> Clockwork::run(Program program, void* argument) {
  for (const auto& seat : ranks_) {
    if (auto ready = seat->prepare(program, argument); !ready) return ready;
    schedule(0, *seat);
  }
  while (!queue_.is_empty() && why_stopped_.empty()) queue_.pop()->happen();
  return true;
}

void Clockwork::stop(std::string why) {
  if (why_stopped_.empty()) why_stopped_ = std::move(why);
}

bool Clockwork::has_ended(Rank rank) const { return ranks_[rank]->has_ended; }

Cycles Clockwork::end() const {
  Cycles end = 0;
  for (const auto& seat : ranks_) end = std::max(end, seat->clock);
  return end;
}

Rank Clockwork::running() const {
  MYR_ASSERT(running_ != nullptr);
  return running_->rank;
}

Cycles Clockwork::clock() const {
  MYR_ASSERT(running_ != nullptr);
  return running_->clock;
}

void Clockwork::work(Cycles weak_cycles) {
  MYR_ASSERT(running_ != nullptr);
  running_->clock += chip_.scaled(core_of(running_->rank), weak_cycles);
}

void Clockwork::sleep() {
  MYR_ASSERT(running_ != nullptr);
  running_->is_asleep = true;
  running_->leave();
}

void Clockwork::leave_for_ever() {
  MYR_ASSERT(running_ != nullptr && !why_stopped_.empty());
  running_->leave();
  std::abort();  // nobody comes back: a stopped clockwork goes on with no event
}

void Clockwork::wake(Rank rank) {
  Seat& seat = *ranks_[rank];
  MYR_ASSERT(seat.is_asleep);
  seat.is_asleep = false;
  schedule(std::max(seat.clock, now()), seat);
}

}  // namespace myr::cluster::ranks
