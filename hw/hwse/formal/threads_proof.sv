// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: of any one core the register file shows what was last written for it, whatever is
// written for the others.
module threads_proof #(
  parameter int unsigned Cores = 3
) (
  input logic clk_i,
  input logic [1:0] core_i,
  input logic context_write_i,
  input hwse_pkg::context_t context_i,
  input logic position_write_i,
  input logic [7:0] position_i,
  input logic taken_write_i,
  input logic taken_i
);

  (* anyconst *) logic [1:0] watched;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  hwse_pkg::context_t shown;
  logic [7:0] position;
  logic taken;

  threads #(
    .Cores(Cores),
    .Width(8),
    .Teams(4)
  ) u_threads (
    .clk_i,
    .rst_ni    (started_q),
    .core_i,
    .context_o (shown),
    .position_o(position),
    .taken_o   (taken),
    .context_write_i,
    .context_i,
    .position_write_i,
    .position_i,
    .taken_write_i,
    .taken_i
  );

  logic [hwse_pkg::ContextWidth-1:0] context_q = '0;
  logic [7:0] position_q = '0;
  logic known_q = 1'b0;  // the position was written since reset
  logic taken_q = 1'b0;

  always_ff @(posedge clk_i) begin
    assume (32'(core_i) < Cores && 32'(watched) < Cores && context_i.team < 4);
    if (started_q && core_i == watched) begin
      assert (shown == context_q && taken == taken_q);
      assert (!known_q || position == position_q);
      if (context_write_i) context_q <= context_i;
      if (position_write_i) begin
        position_q <= position_i;
        known_q    <= 1'b1;
      end
      if (taken_write_i) taken_q <= taken_i;
    end
  end

endmodule
