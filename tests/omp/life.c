// SPDX-License-Identifier: Apache-2.0
//
// What happens around regions: fork, dlclose, threads of the program that open regions and end,
// signals, the end of the process, stacks that are too small.
//
// Usage: life CASE [PLUGIN]
#include <alloca.h>
#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum(int threads) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic) num_threads(threads)
  for (int i = 0; i < 100; ++i) sum += i;
  return sum;
}

// A child of fork() has its own threads.
static int check_fork(void) {
  if (sum(4) != 4950) return 1;
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(sum(4) == 4950 && sum(3) == 4950 ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0 || sum(4) != 4950) return 1;
  }
  return 0;
}

// A worker makes tasks while the master still starts the others, which have been in a team of their
// own meanwhile.
static int check_early_tasks(void) {
  enum { kRounds = 300, kTasks = 20 };
  int done = 0;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
    (void)omp_get_thread_num();
#pragma omp parallel num_threads(8)
#pragma omp single nowait
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done)
#pragma omp atomic
      ++done;
    }
  }
  return done == kRounds * kTasks ? 0 : 1;
}

static int check_fork_inside(void) {
  int status = 1;
#pragma omp parallel num_threads(3)
  {
#ifdef __SANITIZE_ADDRESS__
    /* Threads that begin hold locks of the sanitizer, which the child then waits for: seen once. */
#pragma omp barrier
#endif
#pragma omp master
    {
      const pid_t child = fork();
      if (child == 0) _exit(sum(2) == 4950 ? 0 : 1);
      waitpid(child, &status, 0);
    }
  }
  return status != 0;
}

static int check_unload(const char* path) {
  for (int round = 0; round < 20; ++round) {
    void* plugin = dlopen(path, RTLD_NOW);
    if (plugin == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    int (*call)(int) = (int (*)(int))dlsym(plugin, "sum_in_parallel");
    if (call(1000) != 499500) return 1;
    dlclose(plugin);
  }
  return 0;
}

// Both this program and the plugin use OpenMP; there is one library for both in the process.
static int check_maps(const char* path) {
  if (sum(3) != 4950 || check_unload(path) != 0) return 1;
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int runtimes = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    const char* name = strrchr(line, '/');
    const int is_runtime =
        name != NULL && (strncmp(name, "/libgomp", 8) == 0 || strncmp(name, "/libomp.", 8) == 0);
    if (is_runtime && strstr(line, "r-xp") != NULL) ++runtimes;
  }
  fclose(maps);
  return runtimes != 1;
}

static void* open_regions(void* result) {
  int good = 1;
  for (int round = 0; round < 20; ++round) good &= sum(1 + round % 4) == 4950;
  *(int*)result = good;
  return NULL;
}

static int check_threads(void) {
  for (int round = 0; round < 10; ++round) {
    pthread_t threads[4];
    int good[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, open_regions, &good[i]);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; ++i) {
      if (!good[i]) return 1;
    }
  }
  return 0;
}

static _Atomic int signals;
static void count_signal(int number) { signals += number == SIGALRM; }

// Signals interrupt threads that run and threads that wait.
static int check_signals(void) {
  struct sigaction action = {.sa_handler = count_signal};
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, NULL);
  int good = 1;
  for (int round = 0; round < 2000 || (signals == 0 && round < 1000000); ++round) {
    int tasks = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
      for (int i = 0; i < 8; ++i) {
#pragma omp task shared(tasks)
#pragma omp atomic
        tasks += 1;
      }
#pragma omp barrier
#pragma omp critical
      good &= tasks == 8;
    }
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  return !good || signals == 0;
}

// A thread of a region ends the process while others are in it.
static int check_exit(void) {
#pragma omp parallel num_threads(4)
  if (omp_get_thread_num() == 2) exit(0);
  return 1;  // the region ends only if exit() has not been reached
}

static void* go_on(void* unused) {
  (void)unused;
  usleep(1000);
  int good = 1;
  for (int round = 0; round < 100; ++round) good &= sum(4) == 4950;
  exit(!good);
}

// The program's first thread ends; the process does not.
static int check_main_exits(void) {
  pthread_t thread;
  const int good = sum(3) == 4950;
  if (!good || pthread_create(&thread, NULL, go_on, NULL) != 0) return 1;
  pthread_exit(NULL);
}

// Fills the stack of a worker.
static int deep(int levels) {
  volatile char room[4096];
  room[0] = (char)levels;
  return levels == 0 ? 0 : deep(levels - 1) + room[0];
}
static int check_deep(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) signals = deep(1 << 20);
  return 0;
}

// A private array that is too large, and used from its low end, far below the stack.
static int check_large(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
    const size_t bytes = (size_t)20 << 20;
    volatile char* array = alloca(bytes);
    for (size_t at = 0; at < bytes; at += 4096) array[at] = 1;
    signals = array[0];
  }
  return 0;
}

// The same in a region of one thread, and in a task of one.
static int check_deep_alone(void) {
#pragma omp parallel num_threads(1)
  signals = deep(1 << 20);
  return 0;
}
static int check_deep_task(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
  signals = deep(1 << 20);
  return 0;
}

// Each task makes the next, and nobody waits for it: the stack does not hold them all.
#ifdef __SANITIZE_THREAD__
enum { kLinks = 3000 };  // as each takes so long there
#else
enum { kLinks = 60000 };
#endif
static long links;
static void chain(long left) {
  ++links;
  if (left != 0) {
#pragma omp task firstprivate(left)
    chain(left - 1);
  }
}
static void chain_with_dependences(long left, int* place) {
  ++links;
  if (left != 0) {
#pragma omp task firstprivate(left, place) depend(inout : place[0])
    chain_with_dependences(left - 1, place);
  }
}
static void chain_of_loops(long left) {
  ++links;
  if (left != 0) {
#pragma omp taskloop nogroup firstprivate(left)
    for (int i = 0; i < 1; ++i) chain_of_loops(left - 1);
  }
}
static int check_chain(void) {
  int place = 0;
  chain(kLinks);  // outside of all regions
#pragma omp task if (0)
  chain(kLinks);
  if (links != 2 * (kLinks + 1)) return 1;
#pragma omp parallel num_threads(1)
  {
#pragma omp taskgroup
    chain(kLinks);
    chain_of_loops(kLinks);
#pragma omp barrier
    if (links == 4 * (kLinks + 1)) chain_with_dependences(kLinks, &place);
  }
  return links != 5 * (kLinks + 1);
}

static _Atomic int stops;
static void* change_settings(void* unused) {
  for (int i = 0; !stops; ++i) {
    omp_set_num_threads(1 + i % 8);
    omp_set_schedule(omp_sched_dynamic, 1 + i % 100);
  }
  return unused;
}
// Most of the time somebody combines.
#pragma omp declare reduction(slowly:int : (usleep(200), omp_out += omp_in))
static int sum_slowly(void) {
  int total = 0;
#pragma omp parallel for num_threads(2) reduction(slowly : total)
  for (int i = 0; i < 100; ++i) total += i;
  return total;
}
static void* reduce(void* unused) {
  while (!stops) sum_slowly();
  return unused;
}
// While other threads hold the library's locks again and again.
static int check_fork_beside(void) {
  enum { kChildren = 100 };
  pthread_t other, reducer;
  pthread_create(&other, NULL, change_settings, NULL);
  pthread_create(&reducer, NULL, reduce, NULL);
  int failed = 0;
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      omp_set_num_threads(2);
      _exit(sum(2) == 4950 && sum_slowly() == 4950 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  stops = 1;
  pthread_join(other, NULL);
  pthread_join(reducer, NULL);
  return failed != 0;
}

// The same in the first thread.
static int check_deep_first(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) signals = deep(1 << 20);
  return 0;
}

// Signals that ask where their thread is, to threads that just begin or end.
static void ask(int number) {
  const int in_parallel = omp_in_parallel(), level = omp_get_level();
  if (in_parallel <= level && omp_get_thread_num() < 4 && omp_get_max_threads() > 0) {
    signals += number == SIGUSR1;
  }
}
static void* send_signals(void* unused) {
  const long own = syscall(SYS_gettid);
  while (!stops) {
    DIR* threads = opendir("/proc/self/task");
    for (const struct dirent* entry; (entry = readdir(threads)) != NULL;) {
      const long thread = atol(entry->d_name);
      if (thread > 0 && thread != own) syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
    }
    closedir(threads);
  }
  return unused;
}
static int check_signals_at_start(void) {
  struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  omp_set_max_active_levels(1);  // the thread that asks is one of OpenMP's from now on
  pthread_t sender;
  pthread_create(&sender, NULL, send_signals, NULL);
  int good = 1;
  for (int round = 0; round < 100; ++round) {
    good &= sum(4) == 4950;
    omp_pause_resource_all(omp_pause_hard);  // so that threads start again
  }
  stops = 1;
  pthread_join(sender, NULL);
  return !good || signals == 0;
}

static void own_handler(int number) {
  static const char text[] = "the program's own handler\n";
  _exit(write(2, text, sizeof text - 1) > 0 && number == SIGSEGV ? 7 : 1);
}
static int check_own_handler(void) {
  struct sigaction action = {.sa_handler = own_handler};
  sigaction(SIGSEGV, &action, NULL);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) *(volatile int*)16 = 1;
  return 0;
}

int main(int count, char** words) {
  const char* name = count > 1 ? words[1] : "";
  if (strcmp(name, "fork") == 0) return check_fork();
  if (strcmp(name, "fork-inside") == 0) return check_fork_inside();
  if (strcmp(name, "fork-beside") == 0) return check_fork_beside();
  if (strcmp(name, "unload") == 0 && count > 2) return check_unload(words[2]);
  if (strcmp(name, "maps") == 0 && count > 2) return check_maps(words[2]);
  if (strcmp(name, "threads") == 0) return check_threads();
  if (strcmp(name, "signals") == 0) return check_signals();
  if (strcmp(name, "exit") == 0) return check_exit();
  if (strcmp(name, "main-exits") == 0) return check_main_exits();
  if (strcmp(name, "large") == 0) return check_large();
  if (strcmp(name, "deep-first") == 0) return check_deep_first();
  if (strcmp(name, "deep-alone") == 0) return check_deep_alone();
  if (strcmp(name, "deep-task") == 0) return check_deep_task();
  if (strcmp(name, "chain") == 0) return check_chain();
  if (strcmp(name, "signals-at-start") == 0) return check_signals_at_start();
  if (strcmp(name, "early-tasks") == 0) {
    omp_set_max_active_levels(2);
    return check_early_tasks();
  }
  if (strcmp(name, "deep") == 0) return check_deep();
  if (strcmp(name, "own-handler") == 0) return check_own_handler();
  fprintf(stderr, "life: which case?\n");
  return 2;
}
