/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of calls in Fortran programs, and messages that name them. Fortran has no __LINE__, so a
 * place is the address to which a call returns; addr2line, which comes with the compiler, makes a
 * line of it when somebody wants to read it.
 *
 * Threads: any.
 */
#ifndef MYR_FORTRAN_REPORT_H
#define MYR_FORTRAN_REPORT_H

#include <myr/myr.h>

/* In a function that Fortran calls: where it will return to. */
#define CALLER __builtin_return_address(0)

/* The site of the call that returns to this address; never freed. The first site makes the library
 * tell of errors here. Cost: a look into a table. */
const myr_site* fortran_site(const void* caller);

/* Before the machine stops: gives all sites their lines, if somebody is going to report them. */
void fortran_name_sites(void);

/* Prints "myrmidon: error: FILE:LINE: ..." and ends the process with status MYR_EXIT_MISUSE. */
__attribute__((noreturn, format(printf, 2, 3))) void fortran_refuse(const void* caller,
                                                                    const char* format, ...);
__attribute__((noreturn, format(printf, 2, 3))) void fortran_refuse_at(const myr_site* site,
                                                                       const char* format, ...);

#endif
