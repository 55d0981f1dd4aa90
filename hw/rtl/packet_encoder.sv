// SPDX-License-Identifier: Apache-2.0
//
// Joins the three packets by which the tracker tells of a ready task (its number in the tracker,
// its name high, low) into one word. Latency: none after the third packet. Reset: before a first.
`include "checks.svh"

module packet_encoder (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic in_valid_i,
  output logic in_ready_o,
  input  picos_pkg::packet_t in_packet_i,
  output logic out_valid_o,
  input  logic out_ready_i,
  output picos_pkg::ready_task_t out_task_o
);

  logic [1:0] count_q;  // packets that wait for the third
  picos_pkg::packet_t first_q, second_q;
  logic complete;

  assign complete    = count_q == 2'd2;
  assign in_ready_o  = !complete || out_ready_i;
  assign out_valid_o = complete && in_valid_i;
  assign out_task_o  = {first_q, second_q, in_packet_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if (in_valid_i && in_ready_o) count_q <= complete ? '0 : count_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && count_q == 2'd0) first_q <= in_packet_i;
    if (in_valid_i && count_q == 2'd1) second_q <= in_packet_i;
  end

  `MYR_CHECK(CountInBounds, count_q <= 2'd2)

endmodule
