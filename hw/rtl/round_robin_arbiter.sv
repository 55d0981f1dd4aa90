// SPDX-License-Identifier: Apache-2.0
//
// Merges offers of several producers into one, each in its turn: the one served last has the lowest
// priority. A grant that was offered stays with its producer until it is taken. Latency: none.
// Reset: producer 0 comes first.
`include "checks.svh"

module round_robin_arbiter #(
  parameter int unsigned Producers = 8,
  parameter int unsigned Width     = 32
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [Producers-1:0]            in_valid_i,
  output logic [Producers-1:0]            in_ready_o,
  input  logic [Producers*Width-1:0] in_data_i,
  output logic                            out_valid_o,
  input  logic                            out_ready_i,
  output logic [Width-1:0]                out_data_o
);

  logic [Producers-1:0] after_last_q;  // the producers behind the one that was served last
  logic [Producers-1:0] held_q;        // the one that has been offered and not yet taken
  logic [Producers-1:0] preferred, candidates, grant;

  assign preferred  = in_valid_i & after_last_q;
  assign candidates = |held_q ? held_q : |preferred ? preferred : in_valid_i;
  assign grant      = candidates & (~candidates + 1'b1);  // the lowest one

  assign out_valid_o = |in_valid_i;
  assign in_ready_o  = out_ready_i ? grant : '0;

  always_comb begin
    out_data_o = '0;
    for (int unsigned i = 0; i < Producers; i++) begin
      if (grant[i]) out_data_o = out_data_o | in_data_i[i*Width+:Width];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      after_last_q <= '0;
      held_q       <= '0;
    end else begin
      held_q <= out_valid_o && !out_ready_i ? grant : '0;
      if (out_valid_o && out_ready_i) after_last_q <= ~(grant | (grant - 1'b1));
    end
  end

  `MYR_CHECK(OneGrant, (grant & (grant - 1'b1)) == '0)
  `MYR_CHECK(GrantIsAsked, (grant & ~in_valid_i) == '0)

endmodule
