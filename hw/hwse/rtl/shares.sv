// SPDX-License-Identifier: Apache-2.0
//
// The work-share registers: for each team two, which its threads use by turns, and one for each
// heap. One of them is selected; it is shown, with the chunk that the asking thread would
// get, and one thing a cycle is done to it.
// A register is free, then claimed by the thread that comes first and fills it, then open, and free
// again when as many threads have left as the team has. `generation` tells a thread that is two
// work-shares ahead from one that belongs inside.
// Latency: none for what is shown; what is done shows in the next cycle. Reset: all are free.
`include "checks.svh"

module shares #(
  parameter int unsigned Slots = 8,  // of teams
  parameter int unsigned Heaps = 1,  // behind them
  parameter int unsigned Width = 32
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [$clog2(Slots+Heaps)-1:0] index_i,
  output logic busy_o,
  output logic open_o,
  output logic generation_o,
  output logic [Slots-1:0] all_busy_o,
  // The thread that asks, and what it would get.
  input  hwse_pkg::rank_t  size_i,
  input  hwse_pkg::rank_t  rank_i,
  input  logic             fresh_i,
  input  logic [Width-1:0] position_i,
  output logic             over_o,
  output logic [Width-1:0] start_o,
  output logic [Width-1:0] end_o,
  // What is done.
  input  logic [3:0]       act_i,       // share_act_e
  input  logic             generation_i,
  input  logic [1:0]       schedule_i,
  input  logic [Width-1:0] data_i
);

  localparam int unsigned All = Slots + Heaps;
  localparam int unsigned Index = $clog2(All);

  // Iterations that are left, how they are parted, and in which direction.
  typedef struct packed {
    logic [Width-1:0] next;
    logic [Width-1:0] last;  // the one after
    logic [Width-1:0] step;
    logic down;
    logic [1:0] schedule;  // schedule_e
  } bounds_t;
  localparam int unsigned BoundsWidth = 3 * Width + 3;

  logic [Slots-1:0] busy_q, open_q, generation_q;
  logic [hwse_pkg::RankWidth-1:0] gone_q[Slots];  // threads that have left
  // Apart, so that no words are between or behind them.
  logic [BoundsWidth-1:0] slots_q[Slots];
  logic [BoundsWidth-1:0] heaps_q[Heaps];

  logic is_heap;
  logic [(Slots > 1 ? $clog2(Slots) : 1)-1:0] slot;
  logic [(Heaps > 1 ? $clog2(Heaps) : 1)-1:0] heap;
  bounds_t bounds, changed;
  logic [Width-1:0] mirror;
  logic empty, last;
  hwse_pkg::rank_t gone;

  assign is_heap      = index_i >= Index'(Slots);
  assign slot         = index_i[$bits(slot)-1:0];
  assign heap         = $bits(heap)'(index_i - Index'(Slots));
  assign bounds       = is_heap ? heaps_q[heap] : slots_q[slot];
  assign busy_o       = !is_heap && busy_q[slot];
  assign open_o       = is_heap || open_q[slot];
  assign generation_o = generation_q[slot];
  assign all_busy_o   = busy_q;

  chunk #(
    .Width(Width)
  ) u_chunk (
    .next_i    (bounds.next),
    .end_i     (bounds.last),
    .step_i    (bounds.step),
    .down_i    (bounds.down),
    .schedule_i(bounds.schedule),
    .whole_i   (is_heap),
    .size_i,
    .rank_i,
    .fresh_i,
    .position_i,
    .over_o,
    .start_o,
    .end_o
  );

  // A step below zero counts down; a loop whose start is beyond its end is empty.
  assign mirror = {Width{data_i[Width-1]}};  // as in chunk
  assign empty = $signed(bounds.next ^ mirror) > $signed(bounds.last ^ mirror);
  assign gone  = act_i == hwse_pkg::ShareSingle ? '0 : gone_q[slot];
  assign last  = gone + 1'b1 == size_i;

  always_comb begin
    changed = bounds;
    case (act_i)
      hwse_pkg::ShareClaim, hwse_pkg::ShareSingle: begin
        changed.next = '0;
        changed.last = '0;
      end
      hwse_pkg::ShareStart: changed.next = data_i;
      hwse_pkg::ShareEnd: changed.last = data_i;
      hwse_pkg::ShareOpen: begin
        changed.step     = data_i == '0 ? Width'(1) : data_i[Width-1] ? -data_i : data_i;
        changed.down     = data_i[Width-1];
        changed.schedule = schedule_i;
        if (empty) changed.last = bounds.next;
      end
      hwse_pkg::ShareSections: begin
        changed.next     = Width'(1);
        changed.last     = data_i + 1'b1;
        changed.step     = Width'(1);
        changed.down     = 1'b0;
        changed.schedule = hwse_pkg::ScheduleDynamic;
      end
      hwse_pkg::ShareTake: begin
        if (bounds.schedule != hwse_pkg::ScheduleStatic) changed.next = end_o;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (act_i != hwse_pkg::ShareKeep && !is_heap) slots_q[slot] <= changed;
    if (act_i != hwse_pkg::ShareKeep && is_heap) heaps_q[heap] <= changed;
    if (!rst_ni) begin  // heaps without bins
      for (int unsigned i = 0; i < Heaps; i++) begin
        heaps_q[i] <= {{2 * Width{1'b0}}, Width'(1), 1'b0, hwse_pkg::ScheduleDynamic};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!is_heap) begin
      case (act_i)
        hwse_pkg::ShareClaim: begin
          busy_q[slot]       <= 1'b1;
          open_q[slot]       <= 1'b0;
          generation_q[slot] <= generation_i;
          gone_q[slot]       <= '0;
        end
        hwse_pkg::ShareOpen, hwse_pkg::ShareSections: open_q[slot] <= 1'b1;
        hwse_pkg::ShareSingle, hwse_pkg::ShareLeave: begin
          busy_q[slot]       <= !last;
          open_q[slot]       <= !last;
          generation_q[slot] <= generation_i;
          gone_q[slot]       <= gone + 1'b1;
        end
        default: ;
      endcase
    end
    if (!rst_ni) begin
      busy_q       <= '0;
      open_q       <= '0;
      generation_q <= '0;
      for (int unsigned i = 0; i < Slots; i++) gone_q[i] <= '0;
    end
  end

  `MYR_CHECK(IndexInBounds, act_i == hwse_pkg::ShareKeep || 32'(index_i) < All)
  `MYR_CHECK(OnlyBusyIsOpen, (open_q & ~busy_q) == '0)
  `MYR_CHECK(ClaimsAreFree, !(act_i == hwse_pkg::ShareClaim || act_i == hwse_pkg::ShareSingle) || !busy_o)
  `MYR_CHECK(OnlyOpenIsLeft, act_i != hwse_pkg::ShareLeave || (busy_o && open_o))
  `MYR_CHECK(TakenIsThere, act_i != hwse_pkg::ShareTake || !over_o)
  `MYR_CHECK(NobodyLeavesTwice, !busy_o || gone_q[slot] < size_i || act_i == hwse_pkg::ShareKeep)

endmodule
