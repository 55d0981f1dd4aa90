// SPDX-License-Identifier: Apache-2.0
//
// Gives ready tasks to the cores in the order in which they asked. A request is granted only if
// the core's ready queue will have room for its answer, so that no answer ever blocks another.
// Latency: none. Reset forgets all requests.
`include "checks.svh"

module work_fetch_arbiter #(
  parameter int unsigned Cores      = 8,
  parameter int unsigned ReadyDepth = 2,  // tasks that a core may have asked for and not run yet
  parameter int unsigned OrderDepth = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Cores-1:0] request_valid_i,
  output logic [Cores-1:0] request_ready_o,
  input  logic             task_valid_i,
  output logic             task_ready_o,
  output logic [Cores-1:0] give_o,     // to whom the task goes in this cycle
  input  logic [Cores-1:0] fetched_i   // who has taken a task from its ready queue
);

  localparam int unsigned CoreWidth = Cores > 1 ? $clog2(Cores) : 1;
  localparam int unsigned OwedWidth = $clog2(ReadyDepth + 1);

  logic [Cores-1:0] granted;
  logic order_ready, turn_valid;
  logic [CoreWidth-1:0] turn;

  assign granted = request_valid_i & request_ready_o;

  request_order #(
    .Cores(Cores),
    .Depth(OrderDepth)
  ) u_order (
    .clk_i,
    .rst_ni,
    .request_i    (granted),
    .ready_o      (order_ready),
    .first_valid_o(turn_valid),
    .first_core_o (turn),
    .first_done_i (turn_valid && task_valid_i)
  );

  assign task_ready_o = turn_valid;

  always_comb begin
    give_o = '0;
    give_o[turn] = turn_valid && task_valid_i;
  end

  for (genvar core = 0; core < Cores; core++) begin : g_core
    logic [OwedWidth-1:0] owed_q;  // requests and tasks of the core that are not fetched yet

    assign request_ready_o[core] = order_ready && owed_q != OwedWidth'(ReadyDepth);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) owed_q <= '0;
      else owed_q <= owed_q + OwedWidth'(granted[core]) - OwedWidth'(fetched_i[core]);
    end

    `MYR_CHECK(OwedInBounds, owed_q <= OwedWidth'(ReadyDepth))
    `MYR_CHECK(FetchedWasOwed, !fetched_i[core] || owed_q != '0)
  end

endmodule
