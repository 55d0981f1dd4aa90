// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: an id is never given out twice, and there is a free id whenever not all are taken.
module pool_proof #(
  parameter int unsigned Count = 3
) (
  input logic clk_i,
  input logic take_i,
  input logic give_i,
  input logic [$clog2(Count)-1:0] give_id_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic free;
  logic [$clog2(Count)-1:0] id;
  logic [Count-1:0] taken_q = '0;

  id_pool #(
    .Count(Count)
  ) u_pool (
    .clk_i,
    .rst_ni   (started_q),
    .free_o   (free),
    .free_id_o(id),
    .take_i,
    .give_i,
    .give_id_i
  );

  always_ff @(posedge clk_i) begin
    assume (!take_i || (started_q && free));
    assume (!give_i || (started_q && 32'(give_id_i) < Count && taken_q[give_id_i]));
    if (started_q) begin
      assert (free == (taken_q != '1));
      if (free) assert (32'(id) < Count && !taken_q[id]);
      if (give_i) taken_q[give_id_i] <= 1'b0;
      if (take_i) taken_q[id] <= 1'b1;
    end
  end

endmodule
