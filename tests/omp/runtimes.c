// SPDX-License-Identifier: Apache-2.0
//
// A program without OpenMP that loads two libraries, each with an OpenMP runtime of its own: one
// calls the other from inside its regions, from several threads.
//
// Usage: runtimes PLUGIN PLUGIN
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 200, kThreads = 3, kOuter = 4, kInner = 1000, kSum = 499500 };

typedef int Sum(int count);
typedef int SumOfSums(int times, Sum* sum, int count);

typedef struct Plugin {
  Sum* sum;
  SumOfSums* sum_of_sums;
} Plugin;
static Plugin plugins[2];

static Plugin load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return (Plugin){(Sum*)dlsym(library, "sum_in_parallel"),
                  (SumOfSums*)dlsym(library, "sum_of_sums")};
}

static void* call_both(void* failures) {
  for (int round = 0; round < kRounds; ++round) {
    const Plugin* outer = &plugins[round % 2];
    const Plugin* inner = &plugins[1 - round % 2];
    *(int*)failures += outer->sum(kInner) != kSum || inner->sum(kInner) != kSum;
    *(int*)failures += outer->sum_of_sums(kOuter, inner->sum, kInner) != kOuter * kSum;
  }
  return NULL;
}

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  for (int i = 0; i < 2; ++i) plugins[i] = load(arguments[1 + i]);
  pthread_t threads[kThreads];
  int failures[kThreads] = {0};
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, call_both, &failures[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) {
    if (failures[i] != 0) return 1;
  }
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[1024];
  while (fgets(line, sizeof line, maps) != NULL) fputs(line, stdout);
  fclose(maps);
  return 0;
}
