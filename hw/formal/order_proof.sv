// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: two requests chosen at any time are answered in the order of their cycles, and in
// the order of their cores if the cycle is the same; none is lost or answered twice.
module order_proof #(
  parameter int unsigned Cores = 3,
  parameter int unsigned Depth = 2
) (
  input logic clk_i,
  input logic [Cores-1:0] request_i,
  input logic done_i,
  input logic choose_i  // the request of the watched core in this cycle is the one to follow
);

  localparam int unsigned CoreWidth = $clog2(Cores);
  (* anyconst *) logic [CoreWidth-1:0] core;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic ready, first_valid, done;
  logic [CoreWidth-1:0] first_core;

  request_order #(
    .Cores(Cores),
    .Depth(Depth)
  ) u_order (
    .clk_i,
    .rst_ni       (started_q),
    .request_i,
    .ready_o      (ready),
    .first_valid_o(first_valid),
    .first_core_o (first_core),
    .first_done_i (done)
  );

  assign done = done_i && first_valid;

  // How many requests are inside, and how many of them come before the followed one.
  logic [3:0] inside_q = '0;
  logic [3:0] before_q = '0;
  logic follows_q = 1'b0;
  logic [3:0] asked, asked_before;
  logic chosen;

  always_comb begin
    asked = '0;
    asked_before = '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      asked = asked + 4'(request_i[i]);
      if (i < 32'(core)) asked_before = asked_before + 4'(request_i[i]);
    end
  end

  assign chosen = choose_i && !follows_q && request_i[core];

  always_ff @(posedge clk_i) begin
    assume (32'(core) < Cores);
    assume (ready || request_i == '0);
    if (!started_q) assume (request_i == '0);
    if (started_q) begin
      inside_q <= inside_q + asked - 4'(done);
      assert (first_valid == (inside_q + asked != '0));
      if (chosen) begin
        follows_q <= !(done && inside_q + asked_before == '0);
        before_q  <= inside_q + asked_before - 4'(done);
        if (done && inside_q + asked_before == '0) assert (first_core == core);
      end else if (follows_q && done) begin
        before_q  <= before_q - 1'b1;
        follows_q <= before_q != '0;
        if (before_q == '0) assert (first_core == core);
      end
    end
  end

endmodule
