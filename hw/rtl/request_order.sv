// SPDX-License-Identifier: Apache-2.0
//
// Remembers in which order the cores asked for something. All cores may ask in the same cycle; of
// those the lowest number comes first, and all of them before any that asks later. Each may ask for
// several things at once, which then come one after the other.
// An entry is how much each core asked for in one cycle. While ready_o is low no core may ask.
// Latency: none while no core is waiting. Reset forgets all requests.
`include "checks.svh"

module request_order #(
  parameter int unsigned Cores = 8,
  parameter int unsigned Depth = 16,  // cycles with requests that can be remembered
  parameter int unsigned Each  = 1,   // requests of a core in a cycle, at most
  localparam int unsigned CoreWidth = Cores > 1 ? $clog2(Cores) : 1,
  localparam int unsigned EachWidth = $clog2(Each + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [Cores*EachWidth-1:0] request_i,
  output logic                 ready_o,
  output logic                 first_valid_o,
  output logic [CoreWidth-1:0] first_core_o,
  input  logic                 first_done_i
);

  logic [Cores*EachWidth-1:0] front, served_q;
  logic [Cores-1:0] left, left_twice, lowest;
  logic front_valid, last_of_front;

  fifo #(
    .Width(Cores * EachWidth),
    .Depth(Depth),
    .FallThrough(1'b1)
  ) u_sets (
    .clk_i,
    .rst_ni,
    .in_valid_i (|request_i),
    .in_ready_o (ready_o),
    .in_data_i  (request_i),
    .out_valid_o(front_valid),
    .out_ready_i(last_of_front),
    .out_data_o (front)
  );

  for (genvar core = 0; core < Cores; core++) begin : g_core
    logic [EachWidth-1:0] asked, served;

    assign asked            = front[core*EachWidth+:EachWidth];
    assign served           = served_q[core*EachWidth+:EachWidth];
    assign left[core]       = asked != served;
    assign left_twice[core] = left[core] && asked != served + 1'b1;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || last_of_front) served_q[core*EachWidth+:EachWidth] <= '0;
      else if (first_done_i && front_valid && lowest[core]) begin
        served_q[core*EachWidth+:EachWidth] <= served + 1'b1;
      end
    end

    `MYR_CHECK(ServedInBounds, !front_valid || served <= asked)
  end

  assign lowest        = left & (~left + 1'b1);
  assign first_valid_o = front_valid;
  assign last_of_front = first_done_i && left == lowest && left_twice == '0;

  always_comb begin
    first_core_o = '0;
    for (int unsigned i = 0; i < Cores; i++) begin
      if (lowest[i]) first_core_o = first_core_o | CoreWidth'(i);
    end
  end

  `MYR_CHECK(NobodyAsksWhenFull, ready_o || request_i == '0)
  `MYR_CHECK(SomebodyIsFirst, !front_valid || left != '0)

endmodule
