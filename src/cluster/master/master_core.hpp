// SPDX-License-Identifier: Apache-2.0
//
// MasterCore: the core that the master runs on: its way to the rings of the workers, and to rest.
//
// Threads: the master's.
#pragma once

#include <functional>

#include "cluster/master/protocol.hpp"

namespace myr::cluster::master {

class MasterCore {
 public:
  MasterCore() = default;
  MasterCore(const MasterCore&) = delete;
  MasterCore& operator=(const MasterCore&) = delete;

  // What is in an entry of a worker's ring by now.
  [[nodiscard]] virtual EntryHead look_at(unsigned worker, std::uint32_t entry) = 0;
  // Writes a task there.
  virtual void write(unsigned worker, std::uint32_t entry, const EntryHead& head) = 0;
  // The master has computed for so long. Only simulated cores want to know.
  virtual void spend(Cycles) {}
  // Nothing is to be done until look() finds something, which it does once a worker has completed a
  // task. False: none ever will (tests only: see Care).
  [[nodiscard]] virtual bool rest(const std::function<bool()>& look) = 0;

 protected:
  ~MasterCore() = default;
};

}  // namespace myr::cluster::master
