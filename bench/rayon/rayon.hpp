// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks call of rayon, Rust's pool of threads; src/lib.rs defines it. A task costs a
// call through a pointer more than in Rust, about a nanosecond.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rayon {

using Scope = const void;
using Body = void (*)(Scope* scope, void* data);

extern "C" {
// Starts the threads. Once in a process.
void rival_rayon_start(std::size_t threads);
// Calls body(scope, data) on one of the threads; returns when all that is spawned there has run.
void rival_rayon_scope(Body body, void* data);
// Spawns body(scope, data). Called in a body of that scope.
void rival_rayon_spawn(Scope* scope, Body body, void* data);
// Naive Fibonacci numbers: each call above 1 joins two.
std::uint64_t rival_rayon_fib(std::uint32_t n);
}

}  // namespace rayon
