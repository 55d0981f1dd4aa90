/* SPDX-License-Identifier: Apache-2.0
 *
 * Where all cores begin, with memory as it was loaded: each gets a stack, with its thread-local
 * variables at the top, which are all zero at first, and calls firmware_start(core). Core 0 clears
 * .bss before it lets the others go on. */
#define STACK_BYTES 0x20000 /* as link.ld has it; 256 tasks may wait on one stack */
#define THREAD_LOCAL_BYTES 64
#define FLOATING_POINT_ON 0x6000 /* mstatus.FS: dirty */
#define EXTENSION_ON 0x18000     /* mstatus.XS */

  .section .text.start
  .globl _start
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la t0, trapped
  csrw mtvec, t0
  li t0, FLOATING_POINT_ON | EXTENSION_ON
  csrs mstatus, t0
  fscsr x0
  csrr a0, mhartid

  la sp, __stacks
  addi t0, a0, 1
  li t1, STACK_BYTES
  mul t0, t0, t1
  add sp, sp, t0
  mv t0, sp
  addi sp, sp, -THREAD_LOCAL_BYTES
  mv tp, sp
1:addi t0, t0, -8
  sd zero, 0(t0)
  bne t0, tp, 1b

  bnez a0, 3f
  la t0, __bss_start
  la t1, __bss_end
2:sd zero, 0(t0)
  addi t0, t0, 8
  bltu t0, t1, 2b
  fence
  la t0, cleared
  li t1, 1
  sw t1, 0(t0)
3:la t0, cleared
4:lw t1, 0(t0)
  beqz t1, 4b
  fence
  call firmware_start
5:j 5b

  .align 2
trapped:
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  call firmware_trapped

  .data
  .align 6
cleared:
  .word 0
  .align 6
