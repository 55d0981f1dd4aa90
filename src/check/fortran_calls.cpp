// SPDX-License-Identifier: Apache-2.0
//
// What gfortran's library reads and writes for print, write and read statements.
#include <cstddef>

#include "check/next_call.hpp"
#include "check/watch.hpp"

using myr::check::Watch;

#define TRANSFER(name, Size, writes, bytes)                             \
  CALL void name(void* statement, void* item, Size size) {              \
    Watch::touch(item, static_cast<std::size_t>(bytes), writes, PLACE); \
    NEXT(name)(statement, item, size);                                  \
  }
#define TRANSFERS(kind, Size, bytes)                     \
  TRANSFER(_gfortran_transfer_##kind, Size, true, bytes) \
  TRANSFER(_gfortran_transfer_##kind##_write, Size, false, bytes)
TRANSFERS(integer, int, size)
TRANSFERS(real, int, size)
TRANSFERS(logical, int, size)
TRANSFERS(complex, int, 2 * size)
TRANSFERS(character, std::size_t, size)
