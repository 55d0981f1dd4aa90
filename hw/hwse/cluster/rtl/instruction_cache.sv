// SPDX-License-Identifier: Apache-2.0
//
// A core's instruction cache, direct-mapped. A line that is not there is asked for, and answered
// from when it has come.
// Protocol: OBI on the core's side; a line is asked for until that is taken, and comes once.
// Latency: a cycle after the grant, with a grant in every cycle, while lines are there; else one
// cycle before the line is asked for and one after it has come. Reset empties it.
`include "checks.svh"

module instruction_cache #(
  parameter int unsigned Lines = 64  // a power of two
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic req_i,
  output logic gnt_o,
  input  logic [31:0] address_i,
  output logic rvalid_o,
  output logic [31:0] rdata_o,
  output logic line_req_o,
  input  logic line_gnt_i,
  output logic [31:0] line_address_o,
  input  logic line_valid_i,
  input  logic [cluster_pkg::LineWidth-1:0] line_i
);

  localparam int unsigned WordWidth = $clog2(cluster_pkg::LineWords);
  localparam int unsigned IndexWidth = $clog2(Lines);
  localparam int unsigned IndexLow = 2 + WordWidth;
  localparam int unsigned TagLow = IndexLow + IndexWidth;

  logic [cluster_pkg::LineWidth-1:0] lines[Lines];
  logic [31:TagLow] tags[Lines];
  logic [Lines-1:0] filled_q;

  logic pending_q, asked_q;
  logic [31:2] address_q;
  logic [IndexWidth-1:0] index;
  logic hit;

  logic unused;
  assign unused = &{1'b0, address_i[1:0]};

  assign index = address_q[IndexLow+:IndexWidth];
  assign hit   = pending_q && filled_q[index] && tags[index] == address_q[31:TagLow];

  assign gnt_o          = !pending_q || hit;
  assign rvalid_o       = hit;
  assign rdata_o        = lines[index][32*address_q[2+:WordWidth]+:32];
  assign line_req_o     = pending_q && !hit && !asked_q;
  assign line_address_o = {address_q[31:IndexLow], {IndexLow{1'b0}}};

  always_ff @(posedge clk_i) begin
    if (req_i && gnt_o) address_q <= address_i[31:2];
    if (line_valid_i) begin
      lines[index] <= line_i;
      tags[index]  <= address_q[31:TagLow];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      asked_q   <= 1'b0;
      filled_q  <= '0;
    end else begin
      if (gnt_o) pending_q <= req_i;
      if (line_req_o && line_gnt_i) asked_q <= 1'b1;
      if (line_valid_i) begin
        asked_q         <= 1'b0;
        filled_q[index] <= 1'b1;
      end
    end
  end

  `MYR_CHECK(LinesAreAskedFor, !line_valid_i || asked_q)

endmodule
