// SPDX-License-Identifier: Apache-2.0
//
// Assertions that Verilator checks in each simulation and yosys-smtbmc proves. They are immediate
// assertions, since Yosys knows no properties. A bound that a parameter makes always true is no
// reason for a lint warning.
`ifndef MYR_CHECKS_SVH
`define MYR_CHECKS_SVH

// Yosys wants names to be unique in the module, also across the turns of a generate loop; it tells
// the line instead.
`ifdef YOSYS
`define MYR_LABEL(name)
`else
`define MYR_LABEL(name) name :
`endif

// At each edge out of reset: `condition` holds.
`define MYR_CHECK(name, condition) \
  /* verilator lint_off CMPCONST */ \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      `MYR_LABEL(name) assert (condition); \
    end \
  end \
  /* verilator lint_on CMPCONST */

// An offer stays, with its data, until it is taken.
`define MYR_CHECK_STABLE(name, valid, ready, data) \
  logic name``_waits_q; \
  logic [$bits(data)-1:0] name``_data_q; \
  always_ff @(posedge clk_i) begin \
    name``_waits_q <= rst_ni && (valid) && !(ready); \
    name``_data_q  <= (data); \
    if (rst_ni && name``_waits_q) begin \
      `MYR_LABEL(name) assert ((valid) && (data) == name``_data_q); \
    end \
  end

`endif
