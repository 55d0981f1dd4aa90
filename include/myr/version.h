/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of myr.h: which version of Myrmidon these headers are of. CMakeLists.txt reads it here.
 */
#ifndef MYR_VERSION_H
#define MYR_VERSION_H

#define MYR_VERSION_MAJOR 0
#define MYR_VERSION_MINOR 1
#define MYR_VERSION_PATCH 0
/* To be compared with: 1.2.3 is 10203. */
#define MYR_VERSION (MYR_VERSION_MAJOR * 10000 + MYR_VERSION_MINOR * 100 + MYR_VERSION_PATCH)

#endif
