/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine, regions, arrays in them, events and recordings.
 */
#include <ISO_Fortran_binding.h>
#include <myr/frontend.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "task.h"

void myr_fortran_start(const CFI_cdesc_t* machine, const int* workers, int* stat,
                       const CFI_cdesc_t* message) {
  const myr_site* const site = fortran_site(CALLER);
  char name[256] = "";
  if (machine != NULL) {
    size_t length = machine->elem_len;
    const char* const text = (const char*)machine->base_addr;
    while (length > 0 && text[length - 1] == ' ') --length;
    if (length >= sizeof name) fortran_refuse_at(site, "the name of the machine is too long");
    memcpy(name, text, length);
  }
  myr_config config;
  memset(&config, 0, sizeof config);
  config.size = sizeof config;
  if (name[0] != '\0') config.machine = name;
  if (workers != NULL && *workers > 0) config.workers = (unsigned)*workers;
  const int code = myr_start(&config);
  if (stat != NULL) *stat = code;
  if (code == 0) return;
  if (stat == NULL) fortran_refuse_at(site, "%s", myr_error_text(code));
  fortran_set_message(message, myr_error_text(code));
}

void myr_fortran_finish(void) {
  fortran_name_sites();
  myr_finish();
}

myr_region myr_fortran_region_new(const myr_region* parent, const int* level) {
  return myr_region_new_at(parent == NULL ? MYR_ROOT : *parent, level == NULL ? 0 : *level,
                           fortran_site(CALLER));
}

void myr_fortran_region_free(myr_region* region) {
  myr_region_free_at(*region, fortran_site(CALLER));
  *region = MYR_NO_REGION;
}

void myr_fortran_region_cancel(const myr_region* region) {
  myr_region_cancel_at(*region, fortran_site(CALLER));
}

/* Extents of any kind of integer; a negative one is 0, as Fortran has it. */
static CFI_index_t extent_of(const CFI_cdesc_t* shape, int dimension, const void* caller) {
  const char* const at = (const char*)shape->base_addr + dimension * shape->dim[0].sm;
  int64_t extent = 0;
  if (shape->type == CFI_type_int32_t) {
    extent = *(const int32_t*)at;
  } else if (shape->type == CFI_type_int64_t) {
    extent = *(const int64_t*)at;
  } else {
    fortran_refuse(caller, "the shape in myr_allocate() is of integers of 4 or 8 bytes");
  }
  return extent < 0 ? 0 : (CFI_index_t)extent;
}

void myr_fortran_allocate(CFI_cdesc_t* pointer, const CFI_cdesc_t* shape, const myr_region* region,
                          int* stat, const CFI_cdesc_t* message) {
  const void* const caller = CALLER;
  if (shape->rank != 1 || shape->dim[0].extent != pointer->rank) {
    fortran_refuse(caller, "the shape in myr_allocate() has %d elements, the array rank %d",
                   shape->rank == 1 ? (int)shape->dim[0].extent : 0, pointer->rank);
  }
  CFI_index_t extents[CFI_MAX_RANK];
  size_t bytes = pointer->elem_len;
  int is_too_large = 0;
  for (int d = 0; d < pointer->rank; ++d) {
    extents[d] = extent_of(shape, d, caller);
    is_too_large |= __builtin_mul_overflow(bytes, (size_t)extents[d], &bytes);
  }
  const myr_region in = region == NULL ? MYR_ROOT : *region;
  /* An array without elements is associated, too. */
  void* const memory =
      is_too_large ? NULL : myr_try_alloc_at(bytes == 0 ? 1 : bytes, 0, in, fortran_site(caller));
  if (stat != NULL) *stat = memory == NULL;
  if (memory == NULL) {
    char text[80] = "more memory than there is";
    if (!is_too_large) snprintf(text, sizeof text, "there is no memory for %zu bytes", bytes);
    if (stat == NULL) fortran_refuse(caller, "myr_allocate(): %s", text);
    fortran_set_message(message, text);
    return;
  }
  CFI_establish(pointer, memory, CFI_attribute_pointer, pointer->type, pointer->elem_len,
                pointer->rank, extents);
  for (int d = 0; d < pointer->rank; ++d) pointer->dim[d].lower_bound = 1;
}

void* myr_fortran_memory(int64_t bytes, const myr_region* region) {
  if (bytes < 0) fortran_refuse(CALLER, "myr_memory() is asked for a negative number of bytes");
  return myr_alloc_at((size_t)bytes, region == NULL ? MYR_ROOT : *region, fortran_site(CALLER));
}

void myr_fortran_free(void** first) {
  myr_free_at(*first, fortran_site(CALLER));
  *first = NULL;
}

void myr_fortran_deallocate(CFI_cdesc_t* pointer) {
  if (pointer->base_addr != NULL) myr_free_at(pointer->base_addr, fortran_site(CALLER));
  pointer->base_addr = NULL;
}

myr_event myr_fortran_event_new(void) { return myr_event_new_at(fortran_site(CALLER)); }
void myr_fortran_event_complete(const myr_event* event) {
  myr_event_complete_at(*event, fortran_site(CALLER));
}

void* myr_fortran_recording_new(void) { return myr_recording_new_at(fortran_site(CALLER)); }
void myr_fortran_recording_free(void** recording) {
  myr_recording_free_at((myr_recording)*recording, fortran_site(CALLER));
  *recording = NULL;
}
void myr_fortran_step_begin(void* const* recording) {
  myr_step_begin_at((myr_recording)*recording, fortran_site(CALLER));
}
void myr_fortran_step_end(void* const* recording) {
  myr_step_end_at((myr_recording)*recording, fortran_site(CALLER));
}
