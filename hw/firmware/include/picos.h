/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler's instructions (table I of paper 4) by number, what they return, and its errors.
 * The same numbers stand in hw/rtl/picos_pkg.sv; hw/tb/encodings.py compares the two.
 */
#ifndef PICOS_H
#define PICOS_H

/* funct7 of an instruction with the opcode custom-0. */
enum picos_funct {
  PICOS_SUBMISSION_REQUEST = 0,
  PICOS_SUBMIT_PACKET = 1,
  PICOS_SUBMIT_THREE_PACKETS = 2,
  PICOS_READY_TASK_REQUEST = 3,
  PICOS_FETCH_SW_ID = 4,
  PICOS_FETCH_PICOS_ID = 5,
  PICOS_RETIRE_TASK = 6
};

/* What the requests and submissions return, and what a fetch returns when there is nothing. */
#define PICOS_FLAG_DONE 1
#define PICOS_FLAG_FAILED 0
#define PICOS_NOTHING_TO_FETCH 0xFFFFFFFFFFFFFFFF

/* The error output: the first error since reset. */
enum picos_error {
  PICOS_ERR_NONE = 0,
  PICOS_ERR_PACKET_COUNT = 1,
  PICOS_ERR_REQUEST_TWICE = 2,
  PICOS_ERR_PACKET_UNASKED = 3,
  PICOS_ERR_INSTRUCTION = 4,
  PICOS_ERR_DEP_COUNT = 5,
  PICOS_ERR_RETIRE_UNKNOWN = 6
};

/* The direction packet of a dependence. A dependence on address 0 is none. */
#define PICOS_DIRECTION_READS 1
#define PICOS_DIRECTION_WRITES 2

/* Added to a direction: the dependence is on a range of blocks of 2 ^ shift bytes, from that which
 * has the address on and `more` after it. It counts as 1 + more of the task's dependences, and
 * conflicts with all ranges of such blocks that share one. The high half of its address comes
 * first. */
#define PICOS_RANGE(shift, more) ((shift) << 2 | (more) << 8)

/* Added to the packets of a Submission Request: granted only if the task will be registered
 * whatever other tasks wait for. For tasks without dependences that tasks spawn. */
#define PICOS_REQUEST_SURE 64

/* Packets of a task, dependences of a task. */
#define PICOS_PACKETS_PER_TASK 48
#define PICOS_DEPS_MAX 15

#ifdef __riscv
#include <stdint.h>

/* The instructions. Rocket's first-level cache blocks, so a store is done when the next instruction
 * is issued. The memory clobbers keep the compiler from moving one past the other, where that
 * matters: from the task on that a fetch returns, and to retirement. A submission has none, so that
 * the compiler may keep a task's addresses in registers; picos_publish_stores() stands before the
 * packet that completes the task. */
#define PICOS_CUSTOM_0 0x0b

/* What the program has stored so far is seen by the core that gets the task. No instruction. */
static inline void picos_publish_stores(void) { __asm__ volatile("" ::: "memory"); }

static inline uint64_t picos_submission_request(uint64_t packets) {
  uint64_t flag;
  __asm__ volatile(".insn r %2, 6, %3, %0, %1, x0"
                   : "=r"(flag)
                   : "r"(packets), "i"(PICOS_CUSTOM_0), "i"(PICOS_SUBMISSION_REQUEST));
  return flag;
}
/* After a request was granted, there is room: no answer is asked for. */
static inline void picos_submit_three_packets(uint64_t first_two, uint64_t third) {
  __asm__ volatile(".insn r %2, 3, %3, x0, %0, %1" ::"r"(first_two), "r"(third),
                   "i"(PICOS_CUSTOM_0), "i"(PICOS_SUBMIT_THREE_PACKETS));
}
static inline uint64_t picos_ready_task_request(void) {
  uint64_t flag;
  __asm__ volatile(".insn r %1, 4, %2, %0, x0, x0"
                   : "=r"(flag)
                   : "i"(PICOS_CUSTOM_0), "i"(PICOS_READY_TASK_REQUEST)
                   : "memory");
  return flag;
}
static inline uint64_t picos_fetch_sw_id(void) {
  uint64_t name;
  __asm__ volatile(".insn r %1, 4, %2, %0, x0, x0"
                   : "=r"(name)
                   : "i"(PICOS_CUSTOM_0), "i"(PICOS_FETCH_SW_ID)
                   : "memory");
  return name;
}
static inline uint64_t picos_fetch_picos_id(void) {
  uint64_t id;
  __asm__ volatile(".insn r %1, 4, %2, %0, x0, x0"
                   : "=r"(id)
                   : "i"(PICOS_CUSTOM_0), "i"(PICOS_FETCH_PICOS_ID)
                   : "memory");
  return id;
}
static inline void picos_retire_task(uint64_t id) {
  __asm__ volatile(".insn r %1, 2, %2, x0, %0, x0" ::"r"(id), "i"(PICOS_CUSTOM_0),
                   "i"(PICOS_RETIRE_TASK)
                   : "memory");
}
#endif

#endif
