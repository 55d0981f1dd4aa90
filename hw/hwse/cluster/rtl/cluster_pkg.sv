// SPDX-License-Identifier: Apache-2.0
//
// Where things lie in the cores' address space. hw/hwse/firmware/runtime/platform.h has the same
// numbers, and so has hw/hwse/cluster/simulate.cpp for what is outside.
package cluster_pkg;

  // The upper 12 bits of an address.
  localparam logic [11:0] RegionL1         = 12'h100;
  localparam logic [11:0] RegionTestAndSet = 12'h101;  // L1 again: reading also writes all ones
  localparam logic [11:0] RegionEngine     = 12'h102;
  localparam logic [11:0] RegionDma        = 12'h103;
  // All others are outside of the cluster.

  localparam int unsigned LineWords = 4;  // of the instruction caches
  localparam int unsigned LineWidth = LineWords * 32;

  typedef enum logic [1:0] {
    TargetL1,
    TargetEngine,
    TargetDma,
    TargetOutside
  } target_e;

  // What a core, or the DMA engine, wants of the memory in the cluster or outside.
  typedef struct packed {
    logic        write;
    logic [3:0]  be;
    logic [31:0] address;
    logic [31:0] data;
  } access_t;
  localparam int unsigned AccessWidth = 1 + 4 + 32 + 32;

endpackage
