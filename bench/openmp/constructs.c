// SPDX-License-Identifier: Apache-2.0
//
// What each construct of OpenMP costs, by EPCC's method: a construct is run around a delay of known
// length, and what the delay alone takes is subtracted. Compiled once; the script that starts it
// chooses the OpenMP library that it runs on. Prints one line of JSON for each case. README.md says
// what the cases are.
//
// Usage: constructs [--ms TIME_A_CASE] [--only NAME,NAME...]
#include "constructs.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { kRunsMax = 15, kIdleMs = 200, kWakes = 15, kRegionsMin = 20 };

int threads;          // of a region
static double share;  // threads for each processor that runs them, at least 1
static int turns;     // of the loop that is the delay
static double delay_ns;
static double region_ns;  // of an empty region

double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

void delay(void) {
  for (int i = 0; i < turns; ++i) __asm__ volatile("" : "+r"(i));
}

void sleep_ms(int ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

void fail(const char* what) {
  fprintf(stderr, "constructs: %s\n", what);
  exit(1);
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

// The delay is a tenth of a microsecond, as EPCC's.
static void calibrate(void) {
  enum { kCount = 20000 };
  double best = 1e30;
  turns = 1000;
  for (int try = 0; try < 20; ++try) {
    const double start = now_ns();
    for (int i = 0; i < kCount / 1000; ++i) delay();
    const double each = (now_ns() - start) / kCount;  // of one turn
    if (each < best) best = each;
  }
  turns = (int)(100 / best) + 1;
  double times[kRunsMax];
  for (int try = 0; try < kRunsMax; ++try) {
    const double start = now_ns();
    for (int i = 0; i < kCount; ++i) delay();
    times[try] = (now_ns() - start) / kCount;
  }
  delay_ns = median(times, kRunsMax);
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double resident_kb(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1) fail("no /proc/self/statm");
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void print(const char* name, const char* unit, double value) {
  printf("{\"case\": \"%s\", \"unit\": \"%s\", \"threads\": %d, \"value\": %.3f}\n", name, unit,
         threads, value);
  fflush(stdout);
}

// A region whose threads do nothing but the delay.
static double measure_region(void) {
  double times[kRunsMax];
  for (int i = 0; i < kRunsMax; ++i) {
    const double start = now_ns();
#pragma omp parallel
    delay();
    times[i] = now_ns() - start;
  }
  return median(times, kRunsMax);
}

// Nanoseconds of one repetition without its delays; the repetitions are as many as fill `ms`
// milliseconds in several runs, and so many that the one region around them does not count.
static double measure(const struct Case* one, double ms) {
  long count = 1;
  double took = 0;
  one->run(1);
  for (;;) {
    const double start = now_ns();
    one->run(count);
    took = now_ns() - start;
    if (took > 1e6 * ms / kRunsMax && took > kRegionsMin * region_ns) break;
    if (count > 1L << 24) break;
    count *= 2;
  }
  double times[kRunsMax];
  int runs = 0;
  const double begin = now_ns();
  while (runs < kRunsMax && (runs == 0 || now_ns() - begin < 2e6 * ms)) {
    const double start = now_ns();
    one->run(count);
    times[runs++] = (now_ns() - start) / (double)count;
  }
  const double spread = one->all_together ? 1 : share;
  return (median(times, runs) - one->delays * delay_ns * spread) / one->units;
}

// The threads of a region that meet a region after a pause: from its start until the last runs.
static double wake_ns(void) {
  double times[kWakes];
  for (int i = 0; i < kWakes; ++i) {
    double last = 0;
    sleep_ms(5);
    const double start = now_ns();
#pragma omp parallel reduction(max : last)
    last = now_ns();
    times[i] = last - start;
  }
  return median(times, kWakes);
}

static double idle_share(void) {
#pragma omp parallel
  delay();
  const double start = now_ns(), before = cpu_seconds();
  sleep_ms(kIdleMs);
  return (cpu_seconds() - before) / (1e-9 * (now_ns() - start));
}

static int is_wanted(const char* name, const char* only) {
  if (only == NULL) return 1;
  const size_t length = strlen(name);
  for (const char* at = strstr(only, name); at != NULL; at = strstr(at + 1, name)) {
    const int begins = at == only || at[-1] == ',';
    if (begins && (at[length] == ',' || at[length] == '\0')) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  double ms = 30;
  const char* only = NULL;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--ms") == 0) ms = atof(argv[i + 1]);
    if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  threads = omp_get_max_threads();
  const int processors = omp_get_num_procs();
  share = threads > processors ? (double)threads / processors : 1;
  omp_set_max_active_levels(2);
  calibrate();
  const double before = resident_kb();
#pragma omp parallel
  delay();
  if (threads > 1 && is_wanted("memory", only)) {
    print("memory", "kB a thread", (resident_kb() - before) / (threads - 1));
  }
  region_ns = measure_region();
  for (const struct Case* one = cases; one->name != NULL; ++one) {
    if (is_wanted(one->name, only)) print(one->name, "ns", measure(one, ms));
  }
  if (is_wanted("wake", only)) print("wake", "ns", wake_ns());
  if (is_wanted("idle", only)) print("idle", "CPU s a second", idle_share());
  return 0;
}
