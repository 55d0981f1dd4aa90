/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs on the cluster may call of OpenMP's routines; hw/hwse/firmware/omp has them. */
#ifndef OMP_H
#define OMP_H

typedef enum {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
} omp_sched_t;

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
/* How many threads the next team has; at first as many as there are cores. */
void omp_set_num_threads(int threads);
/* What `schedule(runtime)` means; chunk 0: the schedule's own. Outside of parallel regions. */
void omp_set_schedule(omp_sched_t schedule, int chunk);

#endif
