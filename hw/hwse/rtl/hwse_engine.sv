// SPDX-License-Identifier: Apache-2.0
//
// The scheduling engine of paper 5 (ADR 34): registers in memory through which the cores of a
// cluster share out loops, sections and tasks, wait at barriers, allocate and count.
// Protocol: a core offers a request until it is granted, and gets its answer, also to a write, two
// cycles after the grant. One request a cycle is granted, in turn.
// Latency: 3 cycles without contention: granted, done, answered. Reset: nothing is configured.
`include "checks.svh"

module hwse_engine #(
  parameter int unsigned Cores        = 16,  // at most 16
  parameter int unsigned Teams        = 4,   // at a time, at most 16
  parameter int unsigned Queues       = 2,   // a power of two
  parameter int unsigned Heaps        = 1,   // the first queues, so many of them, may allocate
  parameter int unsigned QueueDepth   = 32,
  parameter int unsigned Counters     = 32,  // at most 128
  parameter int unsigned CounterWidth = 8,
  // These bits of a queue's words are kept; the others are WordBase's. So numbers of descriptors
  // need a fifth as many flip-flops as their addresses.
  parameter int unsigned WordWidth    = 32,
  parameter int unsigned WordLow      = 0,
  parameter logic [31:0] WordBase     = '0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Cores-1:0] req_valid_i,
  output logic [Cores-1:0] req_ready_o,
  input  logic [Cores-1:0] req_write_i,
  input  logic [Cores*hwse_pkg::AddressWidth-1:0] req_address_i,  // of words
  input  logic [Cores*32-1:0] req_data_i,
  output logic [Cores-1:0] resp_valid_o,
  output logic [31:0] resp_data_o,  // of the core that is answered
  output logic [31:0] error_o  // the first mistake: its error_e and, from bit 8 on, the core
);

  localparam int unsigned CoreWidth = Cores > 1 ? $clog2(Cores) : 1;
  localparam int unsigned Slots = Teams * hwse_pkg::SlotsPerTeam;
  localparam int unsigned ShareIndexWidth = $clog2(Slots + Heaps);
  localparam int unsigned CounterIndexWidth = $clog2(Counters);

  localparam int unsigned RequestWidth = CoreWidth + 1 + hwse_pkg::AddressWidth + 32;

  // Cycle 1: one request is granted.
  typedef struct packed {
    logic [CoreWidth-1:0] core;
    logic write;
    logic [hwse_pkg::OpWidth-1:0] op;
    logic [hwse_pkg::ArgWidth-1:0] arg;
    logic [31:0] data;
  } request_t;

  logic [Cores*RequestWidth-1:0] offers;
  request_t granted, request_q;
  logic grants, valid_q;

  for (genvar i = 0; i < Cores; i++) begin : g_offer
    assign offers[i*RequestWidth+:RequestWidth] = {
      CoreWidth'(i), req_write_i[i],
      req_address_i[i*hwse_pkg::AddressWidth+:hwse_pkg::AddressWidth], req_data_i[i*32+:32]
    };
  end

  round_robin_arbiter #(
    .Producers(Cores),
    .Width    (RequestWidth)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .in_valid_i (req_valid_i),
    .in_ready_o (req_ready_o),
    .in_data_i  (offers),
    .out_valid_o(grants),
    .out_ready_i(1'b1),
    .out_data_o (granted)
  );

  // Cycle 2: it is done. Cycle 3: it is answered.
  logic [31:0] answer;
  always_ff @(posedge clk_i) begin
    request_q <= granted;
    valid_q   <= rst_ni && grants;
    for (int unsigned i = 0; i < Cores; i++) begin
      resp_valid_o[i] <= rst_ni && valid_q && 32'(request_q.core) == i;
    end
    resp_data_o <= answer;
  end

  hwse_pkg::context_t context_now, context_new;
  logic context_write, position_write, taken, last_taken;
  logic [31:0] position_now, position_new;

  threads #(
    .Cores(Cores),
    .Teams(Teams)
  ) u_threads (
    .clk_i,
    .rst_ni,
    .core_i          (request_q.core),
    .context_o       (context_now),
    .position_o      (position_now),
    .taken_o         (last_taken),
    .context_write_i (context_write),
    .context_i       (context_new),
    .position_write_i(position_write),
    .position_i      (position_new),
    .taken_write_i   (valid_q && request_q.write),
    .taken_i         (taken)
  );

  hwse_pkg::team_t team, free_team;
  hwse_pkg::rank_t team_size;
  logic team_free, team_is_open, team_waits, team_last, team_phase, team_open, team_close;
  logic team_arrive;

  teams #(
    .Teams(Teams)
  ) u_teams (
    .clk_i,
    .rst_ni,
    .free_o     (team_free),
    .free_team_o(free_team),
    .team_i     (team),
    .is_open_o  (team_is_open),
    .size_o     (team_size),
    .waits_o    (team_waits),
    .last_o     (team_last),
    .phase_o    (team_phase),
    .open_i     (team_open),
    .size_i     (request_q.arg[hwse_pkg::RankWidth-1:0]),
    .close_i    (team_close),
    .arrive_i   (team_arrive)
  );

  logic share_is_heap, share_busy, share_open, share_generation, share_over, team_busy;
  logic [3:0] share_act;
  logic [1:0] share_schedule;
  logic [31:0] share_start, share_end;
  logic [ShareIndexWidth-1:0] share_index;
  logic [Slots-1:0] slots_busy;

  always_comb begin
    share_index = ShareIndexWidth'({context_now.team, context_now.turn[0]});
    if (share_is_heap) share_index = ShareIndexWidth'(Slots + 32'(request_q.arg) % Heaps);
    team_busy = 1'b0;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (i / hwse_pkg::SlotsPerTeam == 32'(team) && slots_busy[i]) team_busy = 1'b1;
    end
  end

  shares #(
    .Slots(Slots),
    .Heaps(Heaps)
  ) u_shares (
    .clk_i,
    .rst_ni,
    .index_i     (share_index),
    .busy_o      (share_busy),
    .open_o      (share_open),
    .generation_o(share_generation),
    .all_busy_o  (slots_busy),
    .size_i      (team_size),
    .rank_i      (context_now.rank),
    .fresh_i     (context_now.place == hwse_pkg::PlaceFresh),
    .position_i  (position_now),
    .over_o      (share_over),
    .start_o     (share_start),
    .end_o       (share_end),
    .act_i       (share_act),
    .generation_i(context_now.turn[1]),
    .schedule_i  (share_schedule),
    .data_i      (request_q.data)
  );

  logic queue_push, queue_pop, queue_clear, queue_has_room, queue_has_word;
  logic [Queues-1:0] queues_have_room, queues_have_words;
  localparam int unsigned KeptWidth = WordWidth - WordLow;
  logic [Queues*KeptWidth-1:0] queue_words;
  logic [31:0] queue_word;

  for (genvar i = 0; i < Queues; i++) begin : g_queue
    logic selected;
    assign selected = 32'(request_q.arg) % Queues == i;
    fifo #(
      .Width(KeptWidth),
      .Depth(QueueDepth)
    ) u_queue (
      .clk_i,
      .rst_ni     (rst_ni && !(selected && queue_clear)),
      .in_valid_i (selected && queue_push),
      .in_ready_o (queues_have_room[i]),
      .in_data_i  (request_q.data[WordWidth-1:WordLow]),
      .out_valid_o(queues_have_words[i]),
      .out_ready_i(selected && queue_pop),
      .out_data_o (queue_words[i*KeptWidth+:KeptWidth])
    );
  end

  always_comb begin
    queue_has_room = 1'b0;
    queue_has_word = 1'b0;
    queue_word     = '0;
    for (int unsigned i = 0; i < Queues; i++) begin
      if (32'(request_q.arg) % Queues == i) begin
        queue_has_room = queues_have_room[i];
        queue_has_word = queues_have_words[i];
        queue_word     = WordBase | 32'(queue_words[i*KeptWidth+:KeptWidth]) << WordLow;
      end
    end
  end

  logic [CounterWidth-1:0] count, count_up, count_down, count_new;
  logic count_write;

  counters #(
    .Count(Counters),
    .Width(CounterWidth)
  ) u_counters (
    .clk_i,
    .rst_ni,
    .index_i(request_q.arg[CounterIndexWidth-1:0]),
    .value_o(count),
    .up_o   (count_up),
    .down_o (count_down),
    .write_i(count_write),
    .value_i(count_new)
  );

  logic [3:0] error;
  logic error_clear;

  primitives #(
    .Cores       (Cores),
    .Queues      (Queues),
    .Heaps       (Heaps),
    .Counters    (Counters),
    .CounterWidth(CounterWidth)
  ) u_primitives (
    .valid_i           (valid_q),
    .write_i           (request_q.write),
    .op_i              (request_q.op),
    .arg_i             (request_q.arg),
    .data_i            (request_q.data),
    .answer_o          (answer),
    .taken_o           (taken),
    .error_o           (error),
    .context_i         (context_now),
    .position_i        (position_now),
    .last_taken_i      (last_taken),
    .context_write_o   (context_write),
    .context_o         (context_new),
    .position_write_o  (position_write),
    .position_o        (position_new),
    .team_o            (team),
    .team_free_i       (team_free),
    .free_team_i       (free_team),
    .team_is_open_i    (team_is_open),
    .team_size_i       (team_size),
    .team_waits_i      (team_waits),
    .team_last_i       (team_last),
    .team_phase_i      (team_phase),
    .team_busy_i       (team_busy),
    .team_open_o       (team_open),
    .team_close_o      (team_close),
    .team_arrive_o     (team_arrive),
    .share_is_heap_o   (share_is_heap),
    .share_act_o       (share_act),
    .share_schedule_o  (share_schedule),
    .share_busy_i      (share_busy),
    .share_open_i      (share_open),
    .share_generation_i(share_generation),
    .share_over_i      (share_over),
    .share_start_i     (share_start),
    .share_end_i       (share_end),
    .queue_has_room_i  (queue_has_room),
    .queue_has_word_i  (queue_has_word),
    .queue_word_i      (queue_word),
    .queue_push_o      (queue_push),
    .queue_pop_o       (queue_pop),
    .queue_clear_o     (queue_clear),
    .count_i           (count),
    .count_up_i        (count_up),
    .count_down_i      (count_down),
    .count_write_o     (count_write),
    .count_o           (count_new),
    .error_i           (error_o),
    .error_clear_o     (error_clear)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || error_clear) error_o <= '0;
    else if (error_o == '0 && error != hwse_pkg::ErrNone) begin
      error_o <= 32'({request_q.core, 4'b0, error});
    end
  end

  for (genvar i = 0; i < Cores; i++) begin : g_checks
    `MYR_CHECK_STABLE(RequestIsStable, req_valid_i[i], req_ready_o[i],
                      offers[i*RequestWidth+:RequestWidth])
  end
  `MYR_CHECK(OneAnswer, (resp_valid_o & (resp_valid_o - 1'b1)) == '0)

endmodule
