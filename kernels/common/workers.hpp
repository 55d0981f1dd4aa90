// SPDX-License-Identifier: Apache-2.0
//
// What the SPMD programs of several kernels need.
#pragma once

#include <myr/spmd.h>

#include <chrono>
#include <type_traits>
#include <vector>

namespace kernels {

// What each worker knows, by worker, on worker 0; empty on the others. All call it.
template <class Type>
std::vector<Type> gather(const Type& mine) {
  static_assert(std::is_trivially_copyable_v<Type>);
  if (myr_worker_index() != 0) {
    void* object = myr_alloc(sizeof mine, MYR_ROOT);
    *static_cast<Type*>(object) = mine;
    myr_spmd_send(0, nullptr, 0, &object, 1);
    myr_free(object);
    return {};
  }
  std::vector<Type> all{mine};
  for (unsigned worker = 1; worker < myr_worker_count(); ++worker) {
    void* object = nullptr;
    myr_spmd_receive(worker, nullptr, 0, &object, 1);
    all.push_back(*static_cast<Type*>(object));
  }
  return all;
}

// From worker 0 to all.
template <class Type>
Type broadcast(const Type& of_first) {
  static_assert(std::is_trivially_copyable_v<Type>);
  void* object = nullptr;
  if (myr_worker_index() != 0) {
    myr_spmd_receive(0, nullptr, 0, &object, 1);
    return *static_cast<Type*>(object);
  }
  object = myr_alloc(sizeof of_first, MYR_ROOT);
  *static_cast<Type*>(object) = of_first;
  for (unsigned worker = 1; worker < myr_worker_count(); ++worker) {
    myr_spmd_send(worker, nullptr, 0, &object, 1);
  }
  myr_free(object);
  return of_first;
}

// Both of a pair of workers exchange something: each receives when the other one sends.
template <class Send, class Receive>
void exchange(unsigned peer, Send&& send, Receive&& receive) {
  const bool is_first = myr_worker_index() < peer;
  if (is_first) send();
  receive();
  if (!is_first) send();
}

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kernels
