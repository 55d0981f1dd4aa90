// SPDX-License-Identifier: Apache-2.0
//
// The threads' registers, for each core: its context (team, rank, turn), where its last chunk
// ended, and whether its last write was taken. One core is selected.
// Latency: none for what is shown; a write shows in the next cycle. Reset: in no team; where a
// chunk ended is not known.
module threads #(
  parameter int unsigned Cores = 16,
  parameter int unsigned Width = 32,
  parameter int unsigned Teams = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [(Cores > 1 ? $clog2(Cores) : 1)-1:0] core_i,
  output hwse_pkg::context_t context_o,
  output logic [Width-1:0] position_o,
  output logic taken_o,
  input  logic context_write_i,
  input  hwse_pkg::context_t context_i,
  input  logic position_write_i,
  input  logic [Width-1:0] position_i,
  input  logic taken_write_i,
  input  logic taken_i
);

  // A context without the bits of teams that there are not.
  localparam int unsigned TeamBits = Teams > 1 ? $clog2(Teams) : 1;
  localparam int unsigned Kept = hwse_pkg::ContextWidth - hwse_pkg::TeamWidth + TeamBits;

  logic [Kept-1:0] context_q[Cores];
  logic [Width-1:0] position_q[Cores];
  logic [Cores-1:0] taken_q;
  logic [Kept-1:0] kept;

  assign kept = {
    context_i.arrived, context_i.phase, context_i.place, context_i.turn, context_i.rank,
    context_i.team[TeamBits-1:0], context_i.member
  };
  assign context_o = {
    context_q[core_i][Kept-1:TeamBits+1],
    hwse_pkg::TeamWidth'(context_q[core_i][TeamBits:1]),
    context_q[core_i][0]
  };
  assign position_o = position_q[core_i];
  assign taken_o    = taken_q[core_i];

  always_ff @(posedge clk_i) begin
    if (position_write_i) position_q[core_i] <= position_i;
    if (context_write_i) context_q[core_i] <= kept;
    if (taken_write_i) taken_q[core_i] <= taken_i;
    if (!rst_ni) begin
      taken_q <= '0;
      for (int unsigned i = 0; i < Cores; i++) context_q[i] <= '0;
    end
  end

endmodule
