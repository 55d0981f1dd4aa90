// SPDX-License-Identifier: Apache-2.0
//
// How the entry points are declared: with C names, visible outside, and in the version nodes that
// libgomp.map lists. They translate arguments and call the layer; they hold no logic of their own.
#pragma once

#define MYR_OMP_API extern "C" [[gnu::visibility("default")]]
