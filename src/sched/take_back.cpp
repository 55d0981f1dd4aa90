// SPDX-License-Identifier: Apache-2.0
#include "sched/take_back.hpp"

#include <utility>

namespace myr::sched {

using proto::kNoAgent;

void TakeBack::ask_if_due() {
  if (!is_on_ || is_asking_ || !can_share() || placer_.changes() == asked_at_) return;
  is_asking_ = true;
  add(link_.self());
}

void TakeBack::handle(AgentId /*from*/, proto::GiveBack& message) { add(message.top); }

void TakeBack::add(AgentId top) {
  tops_.push_back(top);
  if (tops_.size() == 1) begin();
}

void TakeBack::begin() {
  const AgentId top = tops_.front();
  if (top == link_.self()) {
    asked_at_ = placer_.changes();
    if (can_share()) return ask_behind(kNoAgent);
    return end({.top = top});
  }
  if (auto work = tasks_.give_kept(link_.topology().depth(top))) {
    return end({.top = top, .work = std::move(*work)});
  }
  ask_behind(kNoAgent);
}

void TakeBack::ask_behind(AgentId child) {
  if (const auto crowded = placer_.crowded_behind(child)) {
    link_.send(*crowded, proto::GiveBack{.top = tops_.front()});
  } else {
    end({.top = tops_.front()});
  }
}

void TakeBack::handle(AgentId from, proto::GivenBack& message) {
  if (message.work.task == proto::kMain) {
    ask_behind(from);
  } else {
    end(std::move(message));
  }
}

void TakeBack::end(proto::GivenBack answer) {
  const bool has_task = answer.work.task != proto::kMain;
  if (answer.top != link_.self()) {
    if (has_task) placer_.left_for_above();
    link_.send(link_.topology().parent(link_.self()), std::move(answer));
  } else {
    is_asking_ = false;
    if (has_task) tasks_.place_again(std::move(answer.work));
  }
  tops_.erase(tops_.begin());
  if (!tops_.empty()) begin();
}

}  // namespace myr::sched
