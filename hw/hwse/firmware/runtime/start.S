/* SPDX-License-Identifier: Apache-2.0
 *
 * Where all cores begin: each gets a stack, with its thread-local variables at the top, which are
 * all zero at first, and calls cluster_start(core). Core 0 brings .data into the scratchpad and
 * clears .bss before it lets the others go on, by a word outside that is 0 after reset. */
#define STACK_SHIFT 12 /* as link.ld has it */
#define THREAD_LOCAL_BYTES 128
#define BOOTED 0x6000000c

  .section .text.start
  .globl _start
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la t0, trapped
  csrw mtvec, t0
  csrw mcountinhibit, x0
  csrr a0, mhartid

  /* The stack pointer is never outside of the core's stack, or the simulation ends. */
  la t1, __stacks
  addi t0, a0, 1
  slli t0, t0, STACK_SHIFT
  add t0, t0, t1
  addi sp, t0, -THREAD_LOCAL_BYTES
  mv tp, sp
1:addi t0, t0, -4
  sw zero, 0(t0)
  bne t0, tp, 1b

  li t3, BOOTED
  bnez a0, 6f
  la t0, __data_start
  la t1, __data_end
  la t2, __data_image
2:bgeu t0, t1, 3f
  lw t4, 0(t2)
  sw t4, 0(t0)
  addi t0, t0, 4
  addi t2, t2, 4
  j 2b
3:la t0, __bss_start
  la t1, __bss_end
4:bgeu t0, t1, 5f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 4b
5:sw t3, 0(t3)
6:lw t0, 0(t3)
  beqz t0, 6b
  call cluster_start
7:j 7b

  .balign 128
trapped:
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  call core_trapped
