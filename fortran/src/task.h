/* SPDX-License-Identifier: Apache-2.0
 *
 * Failures of tasks: texts, which a body hands to its task and a wait hands to the program.
 */
#ifndef MYR_FORTRAN_TASK_H
#define MYR_FORTRAN_TASK_H

#include <ISO_Fortran_binding.h>
#include <myr/myr.h>
#include <stdint.h>

/* Behind a wait for all tasks: sets stat and errmsg, which may be NULL. Without stat, a failure
 * ends the program. */
void fortran_take_failure(int* stat, const CFI_cdesc_t* message, const myr_site* site);
/* Copies a text into errmsg, with blanks behind it. */
void fortran_set_message(const CFI_cdesc_t* message, const char* text);

#endif
