// SPDX-License-Identifier: Apache-2.0
//
// StepWorks: at a worker, what it will run again of the steps that main marks: its scheduler has
// told it once what each of these tasks fetches, and names them by number from then on.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "proto/messages.hpp"

namespace myr::sched {

class StepWorks {
 public:
  void handle(proto::StepWork& message) {
    proto::Work& work = steps_[message.step].emplace_back();
    work.iterations = message.iterations;
    work.place = {.step = message.step, .is_replayed = true};
    work.pieces = std::move(message.pieces);
  }
  void handle(const proto::StepPiece& message) {
    steps_.at(message.step)[message.work].pieces[message.piece].producer = message.producer;
  }
  void handle(const proto::StepForgotten& message) { steps_.erase(message.step); }

  [[nodiscard]] proto::Work work_of(proto::Replay& message) const {
    proto::Work work = steps_.at(message.step)[message.work];
    work.task = message.task;
    work.program = message.spawn.program;
    work.time = std::move(message.spawn.time);
    work.parcel = std::move(message.spawn.parcel);
    for (proto::Piece& piece : work.pieces) {
      piece.version = proto::version_in_run(piece.version, message.runs);
    }
    return work;
  }

 private:
  std::map<std::uint32_t, std::vector<proto::Work>> steps_;
};

}  // namespace myr::sched
