/* SPDX-License-Identifier: Apache-2.0 */
#include <myr/frontend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "task.h"

/* The object of an exception is a text that malloc() made. */
static void destroy(void* object) { free(object); }

static void describe(void* object, char* text, size_t bytes) {
  snprintf(text, bytes, "%s", (const char*)object);
}

/* Code of another language waits for a task of ours: C cannot throw. */
static void rethrow(void* object) {
  fortran_refuse_at(NULL, "a task has failed: %s", (const char*)object);
}

static void name(void* object, char* type, size_t type_bytes, char* what, size_t what_bytes) {
  snprintf(type, type_bytes, "myr_fail");
  describe(object, what, what_bytes);
}

static void* revive(const char* type, const char* what) {
  (void)type;
  return strdup(what);
}

static const myr_exception_kind kind = {
    sizeof(myr_exception_kind), destroy, rethrow, describe, name, revive};

void myr_fortran_fail(const CFI_cdesc_t* message) {
  size_t length = message->elem_len;
  const char* const text = (const char*)message->base_addr;
  while (length > 0 && text[length - 1] == ' ') --length;
  char* const copy = strndup(text, length);
  if (copy == NULL) fortran_refuse(CALLER, "no memory for the text of a failure");
  myr_task_failed((myr_exception){copy, &kind});
}

void fortran_set_message(const CFI_cdesc_t* message, const char* text) {
  if (message == NULL || message->base_addr == NULL) return;
  const size_t length = strnlen(text, message->elem_len);
  memcpy(message->base_addr, text, length);
  memset((char*)message->base_addr + length, ' ', message->elem_len - length);
}

void fortran_take_failure(int* stat, const CFI_cdesc_t* message, const myr_site* site) {
  if (stat != NULL) *stat = 0;
  const myr_exception failure = myr_take_failure();
  if (failure.object == NULL) return;
  char text[512];
  failure.kind->describe(failure.object, text, sizeof text);
  if (stat == NULL) fortran_refuse_at(site, "a task has failed: %s", text);
  failure.kind->destroy(failure.object);
  *stat = 1;
  fortran_set_message(message, text);
}
