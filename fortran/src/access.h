/* SPDX-License-Identifier: Apache-2.0
 *
 * What a Fortran program declares of one argument of a task: type(myr_access) of myrmidon.f90. The
 * functions that make one are called by Fortran, and fill in the caller's variable.
 *
 * Threads: any, each with its own.
 */
#ifndef MYR_FORTRAN_ACCESS_H
#define MYR_FORTRAN_ACCESS_H

#include <ISO_Fortran_binding.h>
#include <myr/frontend.h>
#include <stddef.h>
#include <stdint.h>

#define MYR_FORTRAN_RANK_MAX 7
#define MYR_FORTRAN_VALUE_BYTES 64
/* How many pieces of an array a task may name one by one; more cost too much to be meant. */
#define MYR_FORTRAN_PIECES_MAX 65536

enum fortran_kind {
  FORTRAN_ARRAY = 1, /* the body gets `array` */
  FORTRAN_ADDRESS,   /* the body gets the address itself: scalars, and c_loc() with bytes */
  FORTRAN_VALUE,     /* the body gets a copy of `value` */
  FORTRAN_REGION     /* the body gets a copy of `region` */
};

typedef CFI_CDESC_T(MYR_FORTRAN_RANK_MAX) fortran_array;

/* As long as type(myr_access). */
typedef struct fortran_access {
  uint32_t kind;
  uint32_t mode;         /* flags of myr_access */
  int32_t is_part;       /* of a loop: cut along the last dimension */
  int32_t type;          /* CFI_type_...: of a value that is an array */
  int64_t before, after; /* of a part */
  myr_region region;
  size_t bytes; /* of a value, or behind an address */
  union {
    fortran_array array;
    void* address;
  };
  _Alignas(16) unsigned char value[MYR_FORTRAN_VALUE_BYTES];
} fortran_access;
_Static_assert(sizeof(fortran_access) == 304, "as type(myr_access)");

/* How many accesses of myr.h the argument is. `site`: for messages. */
size_t fortran_count_pieces(const fortran_access* access, const myr_site* site);
/* Writes them, and returns how many they are. */
size_t fortran_write_pieces(const fortran_access* access, myr_access* pieces);
/* The part of an array that the iterations first..last of a loop use. */
fortran_access fortran_part(const fortran_access* access, int64_t first, int64_t last);

/* What the body needs of an argument, behind the array of these in a closure. */
typedef struct fortran_argument {
  void* address;   /* what the body gets, or NULL: */
  size_t position; /* of what it gets, in the closure */
} fortran_argument;
size_t fortran_stored_bytes(const fortran_access* access);
fortran_argument fortran_store(const fortran_access* access, void* closure, size_t position);

#endif
