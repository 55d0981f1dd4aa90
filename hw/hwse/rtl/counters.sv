// SPDX-License-Identifier: Apache-2.0
//
// Counters, of which one a cycle is changed: the children of a task that have not ended yet. A
// counter neither wraps nor goes below zero: it stays, and says so.
// Latency: none for what is shown; a change shows in the next cycle. Reset: all are zero.
`include "checks.svh"

module counters #(
  parameter int unsigned Count = 32,
  parameter int unsigned Width = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [$clog2(Count)-1:0] index_i,
  output logic [Width-1:0] value_o,
  output logic [Width-1:0] up_o,    // one more, if it can be
  output logic [Width-1:0] down_o,  // one less
  input  logic write_i,
  input  logic [Width-1:0] value_i
);

  logic [Count*Width-1:0] value_q;

  always_comb begin
    value_o = '0;
    for (int unsigned i = 0; i < Count; i++) begin
      if (32'(index_i) == i) value_o = value_o | value_q[i*Width+:Width];
    end
  end
  assign up_o    = value_o == '1 ? value_o : value_o + 1'b1;
  assign down_o  = value_o == '0 ? value_o : value_o - 1'b1;

  for (genvar i = 0; i < Count; i++) begin : g_counter
    always_ff @(posedge clk_i) begin
      if (!rst_ni) value_q[i*Width+:Width] <= '0;
      else if (write_i && 32'(index_i) == i) value_q[i*Width+:Width] <= value_i;
    end
  end

  `MYR_CHECK(IndexInBounds, !write_i || 32'(index_i) < Count)

endmodule
