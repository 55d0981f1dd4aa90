// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: a producer that waits at the round-robin arbiter is served before any other is
// served twice.
module arbiter_proof #(
  parameter int unsigned Producers = 3
) (
  input logic clk_i,
  input logic [Producers-1:0] in_valid_i,
  input logic out_ready_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic [Producers-1:0] ready;
  logic out_valid;
  logic [3:0] out_data;
  logic [Producers*4-1:0] data;
  for (genvar i = 0; i < Producers; i++) begin : g_data
    assign data[i*4+:4] = i;
  end

  round_robin_arbiter #(
    .Producers(Producers),
    .Width    (4)
  ) u_arbiter (
    .clk_i,
    .rst_ni     (started_q),
    .in_valid_i,
    .in_ready_o (ready),
    .in_data_i  (data),
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data)
  );

  logic [Producers-1:0] waits_q = '0;
  logic [Producers*2-1:0] passed_over_q = '0;

  always_ff @(posedge clk_i) begin
    waits_q <= started_q ? in_valid_i & ~ready : '0;
    assume ((waits_q & ~in_valid_i) == '0);
    if (!started_q) assume (in_valid_i == '0);
    if (started_q) begin
      assert (out_valid == |in_valid_i);
      if (out_valid) assert (in_valid_i[out_data]);
      if (out_valid && out_ready_i) assert (ready == Producers'(1) << out_data);
      else assert ((ready & in_valid_i) == '0);
    end
  end

  for (genvar i = 0; i < Producers; i++) begin : g_producer
    always_ff @(posedge clk_i) begin
      if (started_q) begin
        if (!in_valid_i[i] || ready[i]) passed_over_q[i*2+:2] <= '0;
        else if (|(ready & in_valid_i)) passed_over_q[i*2+:2] <= passed_over_q[i*2+:2] + 1'b1;
        assert (32'(passed_over_q[i*2+:2]) < Producers);
      end
    end
  end

endmodule
