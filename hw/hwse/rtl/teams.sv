// SPDX-License-Identifier: Apache-2.0
//
// The teams: which are open, how many threads each has, and how many of them are at its barrier.
// One team is selected. The barrier's phase turns over when the last thread arrives: the threads
// that arrived before see by this that all are there. Latency: none for what is shown; what is done
// shows in the next cycle. Reset: none is open.
`include "checks.svh"

module teams #(
  parameter int unsigned Teams = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic free_o,  // there is one to open
  output hwse_pkg::team_t free_team_o,
  input  hwse_pkg::team_t team_i,
  output logic is_open_o,
  output hwse_pkg::rank_t size_o,
  output logic waits_o,  // somebody is at the barrier
  output logic last_o,   // all others are
  output logic phase_o,
  input  logic open_i,   // free_team_o, with size_i
  input  hwse_pkg::rank_t size_i,
  input  logic close_i,  // team_i
  input  logic arrive_i  // at team_i's barrier
);

  localparam int unsigned Index = Teams > 1 ? $clog2(Teams) : 1;

  logic [Teams-1:0] open_q, phase_q, first_free;
  hwse_pkg::rank_t size_q[Teams];
  hwse_pkg::rank_t arrived_q[Teams];
  logic [Index-1:0] index;

  assign index     = team_i[Index-1:0];
  assign is_open_o = 32'(team_i) < Teams && open_q[index];
  assign size_o    = size_q[index];
  assign waits_o   = arrived_q[index] != '0;
  assign last_o    = arrived_q[index] + 1'b1 == size_o;
  assign phase_o   = phase_q[index];

  assign free_o     = open_q != '1;
  assign first_free = ~open_q & (open_q + 1'b1);
  always_comb begin
    free_team_o = '0;
    for (int unsigned i = 0; i < Teams; i++) begin
      if (first_free[i]) free_team_o = hwse_pkg::TeamWidth'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q  <= '0;
      phase_q <= '0;
      for (int unsigned i = 0; i < Teams; i++) begin
        size_q[i]    <= hwse_pkg::RankWidth'(1);
        arrived_q[i] <= '0;
      end
    end else begin
      if (open_i) begin
        open_q[free_team_o[Index-1:0]] <= 1'b1;
        size_q[free_team_o[Index-1:0]] <= size_i;
      end
      if (close_i) open_q[index] <= 1'b0;
      if (arrive_i) begin
        arrived_q[index] <= last_o ? '0 : arrived_q[index] + 1'b1;
        if (last_o) phase_q[index] <= !phase_q[index];
      end
    end
  end

  `MYR_CHECK(OpensFree, !open_i || (free_o && size_i != '0))
  `MYR_CHECK(ClosesOpen, !close_i || (is_open_o && !waits_o))
  `MYR_CHECK(FewerThanAllWait, !is_open_o || arrived_q[index] < size_o)

endmodule
