// SPDX-License-Identifier: Apache-2.0
//
// The free ids 0 to Count - 1. free_id_o is the one that take_i takes; give_i gives one back.
// Ids that were never taken come from a counter, so nothing has to be filled after reset; those
// that were given back come first, the youngest first. Both may happen in one cycle.
// Latency: an id given back can be taken in the next cycle. Reset: all are free.
`include "checks.svh"

module id_pool #(
  parameter int unsigned Count = 256,
  localparam int unsigned IdWidth = Count > 1 ? $clog2(Count) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               free_o,
  output logic [IdWidth-1:0] free_id_o,
  input  logic               take_i,
  input  logic               give_i,
  input  logic [IdWidth-1:0] give_id_i
);

  localparam int unsigned CountWidth = $clog2(Count + 1);

  logic [IdWidth-1:0] given_back[Count];
  logic [CountWidth-1:0] back_q;   // how many were given back and not taken again
  logic [CountWidth-1:0] fresh_q;  // the first that was never taken
  logic from_back;

  assign from_back = back_q != '0;
  assign free_o    = from_back || fresh_q != CountWidth'(Count);
  assign free_id_o = from_back ? given_back[IdWidth'(back_q - 1'b1)] : IdWidth'(fresh_q);

  always_ff @(posedge clk_i) begin
    // In a cycle with both, the one given back takes the place of the one taken.
    if (give_i) given_back[IdWidth'(back_q - CountWidth'(take_i && from_back))] <= give_id_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      back_q  <= '0;
      fresh_q <= '0;
    end else begin
      back_q <= back_q + CountWidth'(give_i) - CountWidth'(take_i && from_back);
      if (take_i && !from_back) fresh_q <= fresh_q + 1'b1;
    end
  end

  `MYR_CHECK(TakesWhatIsFree, !take_i || free_o)
  `MYR_CHECK(CountsInBounds, back_q <= fresh_q && fresh_q <= CountWidth'(Count))
  `MYR_CHECK(GivesWhatWasTaken, !give_i || back_q < fresh_q)

endmodule
