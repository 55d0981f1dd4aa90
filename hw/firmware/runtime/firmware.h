/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a program on the simulated system begins. */
#ifndef FIRMWARE_H
#define FIRMWARE_H
#ifdef __cplusplus
extern "C" {
#endif

/* The program, on core 0 once all cores run; returns the status to end with. */
int firmware_main(void);

#ifdef __cplusplus
}
#endif
#endif
