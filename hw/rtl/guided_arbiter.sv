// SPDX-License-Identifier: Apache-2.0
//
// Lets one core at a time submit: the one whose request is the oldest, until its last triple has
// passed. Then the next. So tasks are never interleaved.
// Latency: none. Reset forgets all requests.
`include "checks.svh"

module guided_arbiter #(
  parameter int unsigned Cores = 8,
  parameter int unsigned Depth = 16  // requests of different cycles that may wait
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Requests; all may come in one cycle, none while request_ready_o is low.
  input  logic [Cores-1:0] request_i,
  output logic             request_ready_o,
  // What each core has to submit.
  input  logic [Cores-1:0] in_valid_i,
  output logic [Cores-1:0] in_ready_o,
  input  logic [Cores-1:0] in_last_i,
  input  logic [Cores*picos_pkg::TripleWidth-1:0] in_triple_i,
  // What passes.
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic             out_last_o,
  output picos_pkg::triple_t out_triple_o
);

  localparam int unsigned CoreWidth = Cores > 1 ? $clog2(Cores) : 1;

  logic turn_valid;
  logic [CoreWidth-1:0] turn;

  request_order #(
    .Cores(Cores),
    .Depth(Depth)
  ) u_order (
    .clk_i,
    .rst_ni,
    .request_i,
    .ready_o      (request_ready_o),
    .first_valid_o(turn_valid),
    .first_core_o (turn),
    .first_done_i (out_valid_o && out_ready_i && out_last_o)
  );

  assign out_valid_o  = turn_valid && in_valid_i[turn];
  assign out_last_o   = in_last_i[turn];

  // In places of a power of two, which are chosen without a multiplication.
  localparam int unsigned Place = 1 << $clog2(picos_pkg::TripleWidth);
  logic [Cores*Place-1:0] places;

  always_comb begin
    places = '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      places[i*Place+:picos_pkg::TripleWidth] =
          in_triple_i[i*picos_pkg::TripleWidth+:picos_pkg::TripleWidth];
    end
  end

  assign out_triple_o = places[turn*Place+:picos_pkg::TripleWidth];

  always_comb begin
    in_ready_o = '0;
    in_ready_o[turn] = turn_valid && out_ready_i;
  end

  `MYR_CHECK_STABLE(OfferStays, out_valid_o, out_ready_i, out_triple_o)

endmodule
