// SPDX-License-Identifier: Apache-2.0
//
// Takes a core's data accesses to what their address names, and the answers back. Answers come in
// the order of the accesses: an access to another target waits until the last one is answered, in
// that very cycle at the earliest.
// Protocol: OBI on the core's side: a request until it is granted, then an answer, also to a write.
// Latency: none. Reset: nothing is under way.
`include "checks.svh"

module data_router (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic req_i,
  output logic gnt_o,
  input  logic [11:0] region_i,  // of the request
  output logic rvalid_o,
  output logic [31:0] rdata_o,
  // A bit a target, in the order of target_e.
  output logic [3:0] req_o,
  input  logic [3:0] gnt_i,
  input  logic [3:0] rvalid_i,
  input  logic [4*32-1:0] rdata_i
);

  localparam logic [1:0] Most = 2'd2;  // accesses under way

  logic [1:0] target, target_q, waiting_q, waiting;
  logic allowed;

  always_comb begin
    case (region_i)
      cluster_pkg::RegionL1, cluster_pkg::RegionTestAndSet: target = cluster_pkg::TargetL1;
      cluster_pkg::RegionEngine: target = cluster_pkg::TargetEngine;
      cluster_pkg::RegionDma: target = cluster_pkg::TargetDma;
      default: target = cluster_pkg::TargetOutside;
    endcase
  end

  // The core that is answered now waits no longer.
  assign rvalid_o = rvalid_i[target_q];
  assign rdata_o  = rdata_i[32*target_q+:32];
  assign waiting  = waiting_q - 2'(rvalid_o);
  // The path outside has room for one access of each core.
  assign allowed = waiting == '0 ||
      (target == target_q && waiting != Most && target != cluster_pkg::TargetOutside);

  always_comb begin
    req_o         = '0;
    req_o[target] = req_i && allowed;
  end
  assign gnt_o = allowed && gnt_i[target];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q <= '0;
      target_q  <= '0;
    end else begin
      waiting_q <= waiting + 2'(req_i && gnt_o);
      if (req_i && gnt_o) target_q <= target;
    end
  end

  `MYR_CHECK(AnswersAreAwaited, !rvalid_o || waiting_q != '0)
  `MYR_CHECK(OnlyTheTargetAnswers, (rvalid_i & ~(4'b1 << target_q)) == '0)

endmodule
