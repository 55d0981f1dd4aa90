// SPDX-License-Identifier: Apache-2.0
//
// Address space from the operating system: reserve a range at a fixed place, make parts of it
// usable, hand the memory behind parts of it back. Any thread. Addresses and sizes are multiples of
// the 4 KB OS page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace myr::plat {

// Reserves [first, first + bytes) without access and without memory, and never on top of something
// else. Returns 0 or an errno value: EEXIST when part of the range is taken, ENOMEM when a limit
// forbids it.
[[nodiscard]] int reserve_at(std::uintptr_t first, std::size_t bytes) noexcept;

// The same for zeros that can be read: for a table of which most entries say that nothing is there.
[[nodiscard]] int map_zeros_at(std::uintptr_t first, std::size_t bytes) noexcept;

// The same, wherever the system likes; nullptr when it refuses.
[[nodiscard]] void* reserve(std::size_t bytes) noexcept;

// Makes part of a reserved range readable and writable; memory arrives, zeroed, at the first touch.
// False: the operating system promises no more memory.
// What is usable already stays as it is.
[[nodiscard]] bool commit(std::uintptr_t first, std::size_t bytes) noexcept;

// The same for what was never usable: mapped anew, since Valgrind notes a change of access byte by
// byte (a second for 64 MB), and a new mapping as a whole.
[[nodiscard]] bool commit_fresh(std::uintptr_t first, std::size_t bytes) noexcept;

// Gives the memory behind a committed range back. The range stays usable and reads as zeros.
void decommit(std::uintptr_t first, std::size_t bytes) noexcept;

// Zeroed memory that costs nothing until it is touched, wherever the system likes; nullptr when it
// refuses. For tables that are large in address space only.
[[nodiscard]] void* map_lazily(std::size_t bytes) noexcept;

// Zeros that can be read, of which commit() makes parts writable: tools that search what may be
// written need not search the rest. nullptr when the system refuses.
[[nodiscard]] void* map_zeros(std::size_t bytes) noexcept;

// Ends a reservation, or gives back what map_lazily() has given.
void release(std::uintptr_t first, std::size_t bytes) noexcept;

}  // namespace myr::plat
