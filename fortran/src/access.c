/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

#include <string.h>

#include "report.h"

static size_t array_bytes(size_t rank) { return sizeof(CFI_cdesc_t) + rank * sizeof(CFI_dim_t); }

/* From pointers, whose targets the compiler knows to be such. */
static void declare(fortran_access* access, const CFI_cdesc_t* array, unsigned mode,
                    const void* caller) {
  if (array->rank > MYR_FORTRAN_RANK_MAX) {
    fortran_refuse(caller, "an access names an array of rank %d; the most is %d", array->rank,
                   MYR_FORTRAN_RANK_MAX);
  }
  if (array->base_addr == NULL) {
    fortran_refuse(caller,
                   "an access names a pointer that is not associated, or an array that "
                   "is not allocated");
  }
  access->is_part = 0;
  access->mode = mode;
  if (array->rank == 0) {
    access->kind = FORTRAN_ADDRESS;
    access->address = array->base_addr;
    access->bytes = array->elem_len;
    return;
  }
  access->kind = FORTRAN_ARRAY;
  memcpy(&access->array, array, array_bytes((size_t)array->rank));
  access->array.attribute = CFI_attribute_other; /* as a body's dummy argument is */
}

static void declare_bytes(fortran_access* access, void* address, int64_t bytes, unsigned mode,
                          const void* caller) {
  if (bytes < 0) fortran_refuse(caller, "an access has a negative number of bytes");
  memset(access, 0, offsetof(fortran_access, array));
  access->kind = FORTRAN_ADDRESS;
  access->mode = mode;
  access->address = address;
  access->bytes = (size_t)bytes;
}

static void declare_region(fortran_access* access, myr_region region, unsigned mode) {
  memset(access, 0, offsetof(fortran_access, array));
  access->kind = FORTRAN_REGION;
  access->mode = mode;
  access->region = region;
}

/* The functions that Fortran calls: for arrays and scalars, for addresses, for regions. */
#define MODE(name, mode)                                                    \
  fortran_access myr_fortran_##name(const CFI_cdesc_t* array) {             \
    fortran_access access;                                                  \
    declare(&access, array, (mode), CALLER);                                \
    return access;                                                          \
  }                                                                         \
  fortran_access myr_fortran_##name##_bytes(void* address, int64_t bytes) { \
    fortran_access access;                                                  \
    declare_bytes(&access, address, bytes, (mode), CALLER);                 \
    return access;                                                          \
  }                                                                         \
  fortran_access myr_fortran_##name##_region(const myr_region* region) {    \
    fortran_access access;                                                  \
    declare_region(&access, *region, (mode));                               \
    return access;                                                          \
  }
MODE(in, MYR_IN)
MODE(out, MYR_OUT)
MODE(inout, MYR_INOUT)

/* Copies the elements, the first index fastest, as far as they fit. */
static size_t copy_elements(const CFI_cdesc_t* array, unsigned char* to, size_t room) {
  CFI_index_t index[CFI_MAX_RANK] = {0};
  size_t copied = 0;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent == 0) return 0;
  }
  for (;;) {
    const char* element = (const char*)array->base_addr;
    for (int d = 0; d < array->rank; ++d) element += index[d] * array->dim[d].sm;
    if (copied + array->elem_len > room) return room + 1;
    memcpy(to + copied, element, array->elem_len);
    copied += array->elem_len;
    int d = 0;
    while (d < array->rank && ++index[d] == array->dim[d].extent) index[d++] = 0;
    if (d == array->rank) return copied;
  }
}

fortran_access myr_fortran_value(const CFI_cdesc_t* value) {
  fortran_access access;
  memset(&access, 0, offsetof(fortran_access, array));
  access.kind = FORTRAN_VALUE;
  access.type = value->type;
  if (value->rank > MYR_FORTRAN_RANK_MAX)
    fortran_refuse(CALLER, "a value is an array of rank %d; the most is %d", value->rank,
                   MYR_FORTRAN_RANK_MAX);
  if (value->base_addr == NULL) fortran_refuse(CALLER, "a value is not there: it has no address");
  access.bytes = copy_elements(value, access.value, sizeof access.value);
  if (access.bytes > sizeof access.value) {
    fortran_refuse(CALLER, "a value has at most %d bytes; declare what is larger by myr_in()",
                   MYR_FORTRAN_VALUE_BYTES);
  }
  memcpy(&access.array, value, array_bytes((size_t)value->rank));
  access.array.attribute = CFI_attribute_other;
  for (int d = 0; d < value->rank; ++d) {
    access.array.dim[d].sm = d == 0 ? (CFI_index_t)value->elem_len
                                    : access.array.dim[d - 1].sm * access.array.dim[d - 1].extent;
  }
  return access;
}

static void change_mode(fortran_access* access, const fortran_access* old, unsigned way,
                        const void* caller) {
  if (old->mode != MYR_INOUT)
    fortran_refuse(caller, "myr_concurrent() and myr_commutative() take what myr_inout() returns");
  *access = *old;
  access->mode |= way;
}

fortran_access myr_fortran_concurrent(const fortran_access* access) {
  fortran_access changed;
  change_mode(&changed, access, MYR_CONCURRENT, CALLER);
  return changed;
}
fortran_access myr_fortran_commutative(const fortran_access* access) {
  fortran_access changed;
  change_mode(&changed, access, MYR_COMMUTATIVE, CALLER);
  return changed;
}

fortran_access myr_fortran_part(const fortran_access* access, const int32_t* before,
                                const int32_t* after) {
  fortran_access part = *access;
  if (access->kind != FORTRAN_ARRAY)
    fortran_refuse(CALLER, "myr_part() takes an access of an array");
  part.is_part = 1;
  part.before = before == NULL ? 0 : *before;
  part.after = after == NULL ? 0 : *after;
  if (part.before < 0 || part.after < 0)
    fortran_refuse(CALLER, "before and after of myr_part() are not negative");
  return part;
}

fortran_access fortran_part(const fortran_access* access, int64_t first, int64_t last) {
  fortran_access part = *access;
  CFI_dim_t* const dim = &part.array.dim[part.array.rank - 1];
  const CFI_index_t upper = dim->lower_bound + dim->extent - 1;
  first -= part.before;
  last += part.after;
  if (first < dim->lower_bound) first = dim->lower_bound;
  if (last > upper) last = upper;
  if (last < first) last = first - 1;
  part.array.base_addr = (char*)part.array.base_addr + (first - dim->lower_bound) * dim->sm;
  dim->lower_bound = first;
  dim->extent = last - first + 1;
  return part;
}

/* The bytes of an array: `piece` of them at each place that these directions lead to. */
typedef struct layout {
  char* first;
  size_t piece;
  CFI_dim_t directions[MYR_FORTRAN_RANK_MAX]; /* the smallest step first; sm > 0 */
  int depth;
} layout;

static layout layout_of(const fortran_array* array) {
  layout result = {.first = (char*)array->base_addr, .piece = array->elem_len, .depth = 0};
  for (int i = 0; i < array->rank; ++i) {
    CFI_dim_t dim = array->dim[i];
    if (dim.extent <= 0) return (layout){.piece = 0};
    if (dim.extent == 1) continue;
    if (dim.sm < 0) {
      result.first += (dim.extent - 1) * dim.sm;
      dim.sm = -dim.sm;
    }
    int place = result.depth++;
    for (; place > 0 && result.directions[place - 1].sm > dim.sm; --place)
      result.directions[place] = result.directions[place - 1];
    result.directions[place] = dim;
  }
  /* From the inside: a direction without gaps makes the piece longer. */
  int done = 0;
  while (done < result.depth && (size_t)result.directions[done].sm <= result.piece) {
    result.piece += (size_t)((result.directions[done].extent - 1) * result.directions[done].sm);
    ++done;
  }
  result.depth -= done;
  memmove(result.directions, result.directions + done,
          (size_t)result.depth * sizeof *result.directions);
  return result;
}

/* How many bytes of an array without gaps, in the order of its indices; 0 if it is none. */
static size_t bytes_without_gaps(const fortran_array* array) {
  CFI_index_t bytes = (CFI_index_t)array->elem_len;
  for (int i = 0; i < array->rank; ++i) {
    if (array->dim[i].sm != bytes || array->dim[i].extent <= 0) return 0;
    bytes *= array->dim[i].extent;
  }
  return (size_t)bytes;
}

size_t fortran_count_pieces(const fortran_access* access, const myr_site* site) {
  switch (access->kind) {
    case FORTRAN_VALUE:
      return 0;
    case FORTRAN_REGION:
      return 1;
    case FORTRAN_ADDRESS:
      return access->bytes == 0 ? 0 : 1;
    default:
      break;
  }
  if (bytes_without_gaps(&access->array) != 0) return 1;
  const layout bytes = layout_of(&access->array);
  if (bytes.piece == 0) return 0;
  size_t count = 1;
  for (int i = 0; i < bytes.depth; ++i) {
    if (__builtin_mul_overflow(count, (size_t)bytes.directions[i].extent, &count) ||
        count > MYR_FORTRAN_PIECES_MAX) {
      fortran_refuse_at(site,
                        "an access names a section of more than %d separate pieces of %zu bytes, "
                        "one by one. Declare a section with fewer gaps, and pass its bounds",
                        MYR_FORTRAN_PIECES_MAX, bytes.piece);
    }
  }
  return count;
}

size_t fortran_write_pieces(const fortran_access* access, myr_access* pieces) {
  if (access->kind == FORTRAN_VALUE) return 0;
  if (access->kind == FORTRAN_REGION) {
    *pieces = myr_region_access(access->region, access->mode);
    return 1;
  }
  if (access->kind == FORTRAN_ADDRESS) {
    if (access->bytes == 0) return 0;
    *pieces = myr_make_access(access->address, access->bytes, access->mode);
    return 1;
  }
  const size_t all = bytes_without_gaps(&access->array);
  if (all != 0) {
    *pieces = myr_make_access(access->array.base_addr, all, access->mode);
    return 1;
  }
  const layout bytes = layout_of(&access->array);
  if (bytes.piece == 0) return 0;
  CFI_index_t index[MYR_FORTRAN_RANK_MAX] = {0};
  const char* place = bytes.first;
  for (size_t count = 0;;) {
    pieces[count++] = myr_make_access(place, bytes.piece, access->mode);
    int d = 0;
    for (; d < bytes.depth; ++d) {
      place += bytes.directions[d].sm;
      if (++index[d] < bytes.directions[d].extent) break;
      place -= bytes.directions[d].sm * bytes.directions[d].extent;
      index[d] = 0;
    }
    if (d == bytes.depth) return count;
  }
}

static size_t rounded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

size_t fortran_stored_bytes(const fortran_access* access) {
  switch (access->kind) {
    case FORTRAN_ARRAY:
      return rounded(array_bytes((size_t)access->array.rank));
    case FORTRAN_VALUE:
      return rounded(access->bytes) +
             (access->array.rank == 0 ? 0 : rounded(array_bytes((size_t)access->array.rank)));
    case FORTRAN_REGION:
      return rounded(sizeof access->region);
    default:
      return 0;
  }
}

fortran_argument fortran_store(const fortran_access* access, void* closure, size_t position) {
  char* const to = (char*)closure + position;
  switch (access->kind) {
    case FORTRAN_ARRAY:
      memcpy(to, &access->array, array_bytes((size_t)access->array.rank));
      return (fortran_argument){NULL, position};
    case FORTRAN_VALUE: {
      memcpy(to, access->value, access->bytes);
      if (access->array.rank == 0) return (fortran_argument){NULL, position};
      const size_t behind = position + rounded(access->bytes);
      fortran_array* const array = (fortran_array*)((char*)closure + behind);
      memcpy(array, &access->array, array_bytes((size_t)access->array.rank));
      array->base_addr = to;
      return (fortran_argument){NULL, behind};
    }
    case FORTRAN_REGION:
      memcpy(to, &access->region, sizeof access->region);
      return (fortran_argument){NULL, position};
    default:
      return (fortran_argument){access->address, 0};
  }
}
