// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: a word chosen at any time leaves the queue unchanged, after exactly the words that
// were inside before it; the queue says it is full when it is, and empty when it is.
module fifo_proof #(
  parameter int unsigned Depth       = 3,
  parameter bit          FallThrough = 1'b0
) (
  input logic clk_i,
  input logic in_valid_i,
  input logic [3:0] in_data_i,
  input logic out_ready_i,
  input logic choose_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic in_ready, out_valid;
  logic [3:0] out_data;

  fifo #(
    .Width      (4),
    .Depth      (Depth),
    .FallThrough(FallThrough)
  ) u_fifo (
    .clk_i,
    .rst_ni     (started_q),
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data)
  );

  logic [3:0] inside_q = '0;
  logic [3:0] before_q = '0;
  logic [3:0] word_q = '0;
  logic follows_q = 1'b0;
  logic in, out;

  assign in  = in_valid_i && in_ready;
  assign out = out_valid && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!started_q) assume (!in_valid_i);
    if (started_q) begin
      inside_q <= inside_q + 4'(in) - 4'(out);
      assert (in_ready == (32'(inside_q) < Depth));
      assert (out_valid == (inside_q != '0 || (FallThrough && in_valid_i)));
      if (choose_i && in && !follows_q && !(out && inside_q == '0)) begin
        follows_q <= 1'b1;
        word_q    <= in_data_i;
        before_q  <= inside_q - 4'(out);
      end else if (follows_q && out) begin
        before_q <= before_q - 1'b1;
        if (before_q == '0) begin
          assert (out_data == word_q);
          follows_q <= 1'b0;
        end
      end
      if (out && inside_q == '0) assert (out_data == in_data_i);
    end
  end

endmodule
