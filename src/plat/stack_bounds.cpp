// SPDX-License-Identifier: Apache-2.0
#include "plat/stack_bounds.hpp"

#include <pthread.h>

namespace myr::plat {

StackBounds this_thread_stack() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t bytes = 0;
  const int error = pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  if (error != 0) return {};
  const auto* first = static_cast<const std::byte*>(low);
  return {first, first + bytes};
}

}  // namespace myr::plat
