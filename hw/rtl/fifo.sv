// SPDX-License-Identifier: Apache-2.0
//
// A queue. An entry is taken where valid and ready meet, on both sides.
// Latency: one cycle; none with FallThrough while the queue is empty. in_ready_o depends on
// registers alone, so chains of queues have no long path through ready. Reset empties it.
`include "checks.svh"

module fifo #(
  parameter int unsigned Width       = 32,
  parameter int unsigned Depth       = 2,
  parameter bit          FallThrough = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  localparam int unsigned IndexWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [IndexWidth-1:0] Last = IndexWidth'(Depth - 1);

  logic [Width-1:0] entries[Depth];
  logic [IndexWidth-1:0] head_q, tail_q;
  logic [CountWidth-1:0] count_q;
  logic empty, bypass, push, pop;

  assign empty       = count_q == '0;
  assign in_ready_o  = count_q != CountWidth'(Depth);
  assign out_valid_o = !empty || (FallThrough && in_valid_i);
  assign out_data_o  = FallThrough && empty ? in_data_i : entries[head_q];
  // An entry that goes straight through is never stored.
  assign bypass = FallThrough && empty && out_ready_i;
  assign push   = in_valid_i && in_ready_o && !bypass;
  assign pop    = !empty && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (push) entries[tail_q] <= in_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (push) tail_q <= tail_q == Last ? '0 : tail_q + 1'b1;
      if (pop) head_q <= head_q == Last ? '0 : head_q + 1'b1;
      if (push != pop) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
    end
  end

  `MYR_CHECK(CountInBounds, count_q <= CountWidth'(Depth))
  `MYR_CHECK(IndicesInBounds, head_q <= Last && tail_q <= Last)

endmodule
