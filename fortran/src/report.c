/* SPDX-License-Identifier: Apache-2.0
 *
 * Invariants
 *   1. An entry whose `address` is not NULL is complete, and only name_line() changes its site. Who
 *      has claimed an entry completes it, at once and without a lock: `myr check` would see one.
 *   2. The site's file is the entry's own text, so that the library's errors lead back to it.
 */
#define _GNU_SOURCE
#include "report.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct entry {
  atomic_flag is_claimed;
  _Atomic(const void*) address; /* what else is in the entry is there, too */
  myr_site site;
  char text[256];
} entry;

enum { kEntries = 4096, kTries = 64 };
static entry entries[kEntries];
static const myr_site unknown = {"", "", 0, 0};

/* The file that the address is in, and where there, as addr2line counts. */
static const char* place_in_file(const void* address, uintptr_t* place) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return NULL;
  const Elf64_Ehdr* const head = (const Elf64_Ehdr*)info.dli_fbase;
  /* One byte before the address: in the call, not behind it. */
  *place = (uintptr_t)address - 1 - (head->e_type == ET_EXEC ? 0 : (uintptr_t)info.dli_fbase);
  char* const own = realpath("/proc/self/exe", NULL);
  const int is_program = strchr(info.dli_fname, '/') == NULL || access(info.dli_fname, R_OK) != 0;
  if (own != NULL && is_program) return own;
  free(own);
  return info.dli_fname;
}

static void name_line(entry* of, const void* address) {
  uintptr_t place = 0;
  const char* const file = place_in_file(address, &place);
  if (file == NULL || strchr(file, '\'') != NULL || of->site.line != 0) return;
  char command[4096];
  snprintf(command, sizeof command, "addr2line -e '%s' %#lx 2>/dev/null", file,
           (unsigned long)place);
  FILE* const answer = popen(command, "r");
  if (answer == NULL) return;
  char line[sizeof of->text];
  const int is_there = fgets(line, sizeof line, answer) != NULL;
  pclose(answer);
  char* const colon = is_there ? strrchr(line, ':') : NULL;
  if (colon == NULL || line[0] == '?') return;
  const long number = strtol(colon + 1, NULL, 10);
  if (number <= 0) return;
  *colon = '\0';
  const char* const slash = strrchr(line, '/');
  snprintf(of->text, sizeof of->text, "%s", slash == NULL ? line : slash + 1);
  of->site.line = (unsigned)number;
}

static entry* entry_of(const char* file) {
  for (entry* each = entries; each != entries + kEntries; ++each) {
    if (atomic_load_explicit(&each->address, memory_order_acquire) != NULL && file == each->text)
      return each;
  }
  return NULL;
}

static void* flush_units(void* unused) {
  extern void _gfortran_flush_i4(int*); /* all units */
  _gfortran_flush_i4(NULL);
  return unused;
}

/* What the program has printed comes before the message. A thread may hold a unit for as long as it
 * likes, this one, too: so another one flushes, and has a second. */
static void flush_output(void) {
  pthread_t thread;
  struct timespec end;
  if (pthread_create(&thread, NULL, flush_units, NULL) != 0) return;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 1;
  pthread_timedjoin_np(thread, NULL, &end);
}

__attribute__((noreturn)) static void end(const myr_site* site, const char* text) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&once); /* of several mistakes, the first one is reported */
  flush_output();
  entry* const of = site == NULL ? NULL : entry_of(site->file);
  if (of != NULL) name_line(of, of->address);
  fputs("myrmidon: error: ", stderr);
  if (site != NULL && site->file != NULL && site->file[0] != '\0') {
    fprintf(stderr, site->line == 0 ? "%s: " : "%s:%u: ", site->file, site->line);
  }
  fprintf(stderr, "%s\n", text);
  _exit(MYR_EXIT_MISUSE);
}

static int on_error(const myr_error* error) {
  entry* const of = error->file == NULL ? NULL : entry_of(error->file);
  flush_output();
  if (of != NULL)
    name_line(of, of->address); /* else a call of another language, whose place is known */
  return MYR_END;               /* the library prints the site, and the text */
}

/* Reports of the whole run name all places. */
static int has_reports(void) {
  return getenv("MYR_STATS") != NULL || getenv("MYR_TRACE") != NULL || getenv("MYR_GRAPH") != NULL;
}

__attribute__((destructor)) void fortran_name_sites(void) {
  if (!has_reports()) return;
  for (entry* each = entries; each != entries + kEntries; ++each) {
    if (atomic_load_explicit(&each->address, memory_order_acquire) != NULL)
      name_line(each, each->address);
  }
}

static void begin(void) {
  const myr_error_handler other = myr_set_error_handler(on_error);
  if (other != NULL) myr_set_error_handler(other);
}

extern void __tsan_init(void) __attribute__((weak)); /* of `myr check`, which tells at once */

static void fill(entry* of, const void* caller) {
  extern const char __executable_start[], etext[];
  const int is_program = (const char*)caller >= __executable_start && (const char*)caller < etext;
  snprintf(of->text, sizeof of->text, "%s+%#lx", is_program ? program_invocation_short_name : "",
           (unsigned long)((uintptr_t)caller - (is_program ? (uintptr_t)__executable_start : 0)));
  of->site = (myr_site){of->text, "", 0, 0};
  if (__tsan_init != NULL) name_line(of, caller);
  atomic_store_explicit(&of->address, caller, memory_order_release);
}

const myr_site* fortran_site(const void* caller) {
  static atomic_flag has_begun = ATOMIC_FLAG_INIT;
  const size_t first = ((uintptr_t)caller * UINT64_C(0x9e3779b97f4a7c15)) >> 52;
  for (size_t i = 0; i < kTries; ++i) {
    entry* const each = &entries[(first + i) % kEntries];
    const void* address = atomic_load_explicit(&each->address, memory_order_acquire);
    if (address == NULL && !atomic_flag_test_and_set(&each->is_claimed)) {
      if (!atomic_flag_test_and_set(&has_begun)) begin();
      fill(each, caller);
      return &each->site;
    }
    while (address == NULL) address = atomic_load_explicit(&each->address, memory_order_acquire);
    if (address == caller) return &each->site;
  }
  return &unknown;
}

__attribute__((noreturn, format(printf, 2, 0))) static void refuse(const myr_site* site,
                                                                   const char* format,
                                                                   va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  end(site, text);
}

void fortran_refuse_at(const myr_site* site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  refuse(site, format, arguments);
}

void fortran_refuse(const void* caller, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  refuse(fortran_site(caller), format, arguments);
}
