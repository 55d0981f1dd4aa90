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

/* The direction packet of a dependence. */
#define PICOS_DIRECTION_READS 1
#define PICOS_DIRECTION_WRITES 2

/* Packets of a task, dependences of a task. */
#define PICOS_PACKETS_PER_TASK 48
#define PICOS_DEPS_MAX 15

#endif
