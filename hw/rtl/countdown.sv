// SPDX-License-Identifier: Apache-2.0
//
// How many dependences each task still waits for. A task that waits for none is ready.
// A new task starts with the number of its dependences and is counted down once for each.
// Latency: none from the last count to ready. A task and a count may come in the same cycle, but not for
// the same task. Reset: nothing is announced; counts are set by new tasks.
`include "checks.svh"

module countdown #(
  parameter int unsigned Tasks = 256,
  localparam int unsigned TaskWidth = Tasks > 1 ? $clog2(Tasks) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic new_valid_i,
  input  logic [TaskWidth-1:0] new_task_i,
  input  picos_pkg::dep_count_t new_deps_i,
  input  logic met_valid_i,
  input  logic [TaskWidth-1:0] met_task_i,
  output logic ready_valid_o,
  output logic [TaskWidth-1:0] ready_task_o
);

  logic [picos_pkg::DepCountWidth-1:0] waits_for[Tasks];
  picos_pkg::dep_count_t left;
  logic free_valid_q;  // a new task without dependences, a cycle later
  logic [TaskWidth-1:0] free_task_q;

  assign left = waits_for[met_task_i];

  always_ff @(posedge clk_i) begin
    if (new_valid_i) waits_for[new_task_i] <= new_deps_i;
    if (met_valid_i) waits_for[met_task_i] <= left - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    free_valid_q <= rst_ni && new_valid_i && new_deps_i == '0;
    free_task_q  <= new_task_i;
  end

  // The engine never counts in the cycle after a head, so the two never meet.
  assign ready_valid_o = free_valid_q || (met_valid_i && left == 4'd1);
  assign ready_task_o  = free_valid_q ? free_task_q : met_task_i;

  `MYR_CHECK(OneReady, !(free_valid_q && met_valid_i))
  `MYR_CHECK(CountsWhatWaits, !met_valid_i || left != '0)
  `MYR_CHECK(NewIsNotCounted, !(new_valid_i && met_valid_i) || new_task_i != met_task_i)

endmodule
