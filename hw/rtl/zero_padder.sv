// SPDX-License-Identifier: Apache-2.0
//
// Sends triples as single packets, and fills each task up to 48 packets with zeros.
// Latency: none; a packet a cycle. Reset: between two tasks.
`include "checks.svh"

module zero_padder (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic in_valid_i,
  output logic in_ready_o,
  input  logic in_last_i,  // the last triple of a task
  input  picos_pkg::triple_t in_triple_i,
  output logic out_valid_o,
  input  logic out_ready_i,
  output picos_pkg::packet_t out_packet_o
);

  localparam logic [3:0] LastTriple = 4'(picos_pkg::TriplesPerTask - 1);

  logic [3:0] triple_q;  // of the task
  logic [1:0] packet_q;  // of the triple
  logic padding_q;
  logic sent, triple_sent;

  assign out_valid_o = padding_q || in_valid_i;
  assign sent        = out_valid_o && out_ready_i;
  assign triple_sent = sent && packet_q == 2'd2;
  assign in_ready_o  = triple_sent && !padding_q;

  always_comb begin
    unique case (packet_q)
      2'd0:    out_packet_o = in_triple_i[95:64];
      2'd1:    out_packet_o = in_triple_i[63:32];
      default: out_packet_o = in_triple_i[31:0];
    endcase
    if (padding_q) out_packet_o = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      triple_q  <= '0;
      packet_q  <= '0;
      padding_q <= 1'b0;
    end else if (triple_sent) begin
      packet_q  <= '0;
      triple_q  <= triple_q + 1'b1;  // 16 triples: wraps to the next task by itself
      padding_q <= (padding_q || in_last_i) && triple_q != LastTriple;
    end else if (sent) begin
      packet_q <= packet_q + 1'b1;
    end
  end

  `MYR_CHECK(PacketInBounds, packet_q <= 2'd2)
  `MYR_CHECK(LastByTheSixteenth, !in_valid_i || padding_q || triple_q != LastTriple || in_last_i)
  `MYR_CHECK_STABLE(OfferStays, out_valid_o, out_ready_i, out_packet_o)

endmodule
