// SPDX-License-Identifier: Apache-2.0
//
// Proof harness: two teams are opened, closed and met at their barriers in any order. The phase of
// a team's barrier turns over with the arrival of its last thread, and at no other time.
module barrier_proof (
  input logic clk_i,
  input logic open_i,
  input logic close_i,
  input logic arrive_i,
  input logic team_i,
  input logic [1:0] size_i
);

  (* anyconst *) logic watched;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  logic free, is_open, waits, last, phase, opens, closes, arrives, is_it;
  hwse_pkg::team_t free_team;
  hwse_pkg::rank_t size;

  assign opens   = started_q && open_i && free && size_i != '0;
  assign closes  = started_q && !opens && close_i && is_open && !waits;
  assign arrives = started_q && !opens && !closes && arrive_i && is_open;
  assign is_it   = team_i == watched;

  teams #(
    .Teams(2)
  ) u_teams (
    .clk_i,
    .rst_ni     (started_q),
    .free_o     (free),
    .free_team_o(free_team),
    .team_i     (4'(team_i)),
    .is_open_o  (is_open),
    .size_o     (size),
    .waits_o    (waits),
    .last_o     (last),
    .phase_o    (phase),
    .open_i     (opens),
    .size_i     (5'(size_i)),
    .close_i    (closes),
    .arrive_i   (arrives)
  );

  logic is_open_q = 1'b0;
  logic phase_q = 1'b0;
  logic [1:0] size_q = '0;
  logic [1:0] there_q = '0;

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      if (opens && free_team == 4'(watched)) begin
        assert (!is_open_q);
        is_open_q <= 1'b1;
        size_q    <= size_i;
        there_q   <= '0;
      end
      if (is_it) begin
        assert (is_open == is_open_q && phase == phase_q);
        if (is_open) assert (size == 5'(size_q) && waits == (there_q != '0));
        if (closes) is_open_q <= 1'b0;
        if (arrives) begin
          assert (last == (there_q + 1'b1 == size_q));
          there_q <= last ? '0 : there_q + 1'b1;
          phase_q <= phase_q ^ last;
        end
      end
    end
  end

endmodule
