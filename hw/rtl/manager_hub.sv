// SPDX-License-Identifier: Apache-2.0
//
// Between the managers and the one tracker. With more than one manager it keeps the order in which
// the cores of all of them asked, to the cycle: whole tasks go to the tracker in the order of their
// requests, and ready tasks come to the managers in the order in which theirs asked. So a manager
// holds no ready task that none of its cores asked for, while a core of another one waits.
// It also tells when a task that is requested now is sure to be registered.
// Latency: none. Reset forgets all requests.
`include "checks.svh"

module manager_hub #(
  parameter int unsigned Managers = 2,
  parameter int unsigned Cores    = 8,    // of a manager
  parameter int unsigned Granted  = 512,  // tasks that may be granted and not registered, at most
  // Cycles with requests of a manager that may be open, and whole tasks in its last buffers.
  parameter int unsigned OrderDepth = 16
) (
  input  logic clk_i,
  input  logic rst_ni,
  // What the cores ask for, and what the managers have granted.
  input  logic [Managers*Cores-1:0] request_valid_i,
  input  logic [Managers*Cores-1:0] request_granted_i,
  input  logic [Managers*Cores-1:0] fetch_granted_i,
  output logic sure_o,  // a task that is requested in this cycle will be registered
  // The managers' sides of the three queues.
  input  logic [Managers-1:0] submit_write_i,
  output logic [Managers-1:0] submit_full_o,
  input  logic [Managers*picos_pkg::PacketWidth-1:0] submit_packet_i,
  input  logic [Managers-1:0] ready_read_i,
  output logic [Managers-1:0] ready_empty_o,
  input  logic [Managers-1:0] retire_write_i,
  output logic [Managers-1:0] retire_full_o,
  input  logic [Managers*picos_pkg::PacketWidth-1:0] retire_id_i,
  // The tracker's.
  output logic tracker_submit_write_o,
  input  logic tracker_submit_full_i,
  output picos_pkg::packet_t tracker_submit_packet_o,
  input  logic tracker_registered_i,
  input  logic tracker_room_i,
  output logic tracker_ready_read_o,
  input  logic tracker_ready_empty_i,
  output logic tracker_retire_write_o,
  input  logic tracker_retire_full_i,
  output picos_pkg::packet_t tracker_retire_id_o
);

  localparam int unsigned GrantedWidth = $clog2(Granted + 1);
  localparam int unsigned EachWidth = $clog2(Cores + 1);

  // Sure requests: nothing is in front, from before or in this cycle.
  logic [GrantedWidth-1:0] pending_q, granted_now;

  assign sure_o = pending_q == '0 && tracker_room_i &&
      (request_valid_i & (request_valid_i - 1'b1)) == '0;

  always_comb begin
    granted_now = '0;
    for (int unsigned i = 0; i < Managers * Cores; i++) begin
      granted_now = granted_now + GrantedWidth'(request_granted_i[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) pending_q <= '0;
    else pending_q <= pending_q + granted_now - GrantedWidth'(tracker_registered_i);
  end

  `MYR_CHECK(RegistersWhatWasGranted, !tracker_registered_i || pending_q != '0)

  if (Managers == 1) begin : g_one
    assign tracker_submit_write_o  = submit_write_i;
    assign tracker_submit_packet_o = submit_packet_i;
    assign submit_full_o           = tracker_submit_full_i;
    assign tracker_ready_read_o    = ready_read_i;
    assign ready_empty_o           = tracker_ready_empty_i;
    assign tracker_retire_write_o  = retire_write_i;
    assign tracker_retire_id_o     = retire_id_i;
    assign retire_full_o           = tracker_retire_full_i;
    logic unused_fetches;
    assign unused_fetches = ^fetch_granted_i;
  end else begin : g_several
    localparam int unsigned TurnWidth = $clog2(Managers);
    localparam int unsigned PacketWidth = picos_pkg::PacketWidth;
    // A manager's own queue of requests forgets one when its task is on its way: that may be
    // the one that is being padded, and one in front of it.
    localparam int unsigned TurnDepth = Managers * (OrderDepth + 2);
    localparam logic [5:0] LastPacket = 6'(picos_pkg::PacketsPerTask - 1);

    logic [Managers*EachWidth-1:0] submits, fetches;  // granted in this cycle
    logic submit_turn_valid, fetch_turn_valid, submit_turn_ready, fetch_turn_ready;
    logic [TurnWidth-1:0] submit_turn, fetch_turn;
    logic [5:0] packet_q;   // of the task that is submitted
    logic [1:0] ready_q;    // packet of the ready task that is read
    logic submit_done, fetch_done;

    always_comb begin
      submits = '0;
      fetches = '0;
      for (int unsigned i = 0; i < Managers; i++) begin
        for (int unsigned core = 0; core < Cores; core++) begin
          submits[i*EachWidth+:EachWidth] =
              submits[i*EachWidth+:EachWidth] + EachWidth'(request_granted_i[i*Cores+core]);
          fetches[i*EachWidth+:EachWidth] =
              fetches[i*EachWidth+:EachWidth] + EachWidth'(fetch_granted_i[i*Cores+core]);
        end
      end
    end

    request_order #(
      .Cores(Managers),
      .Depth(TurnDepth),
      .Each (Cores)
    ) u_submissions (
      .clk_i,
      .rst_ni,
      .request_i    (submits),
      .ready_o      (submit_turn_ready),
      .first_valid_o(submit_turn_valid),
      .first_core_o (submit_turn),
      .first_done_i (submit_done)
    );

    request_order #(
      .Cores(Managers),
      .Depth(TurnDepth),
      .Each (Cores)
    ) u_fetches (
      .clk_i,
      .rst_ni,
      .request_i    (fetches),
      .ready_o      (fetch_turn_ready),
      .first_valid_o(fetch_turn_valid),
      .first_core_o (fetch_turn),
      .first_done_i (fetch_done)
    );

    assign tracker_submit_write_o  = |submit_write_i;
    assign tracker_submit_packet_o = submit_packet_i[submit_turn*PacketWidth+:PacketWidth];
    assign tracker_ready_read_o    = |ready_read_i;
    assign submit_done = tracker_submit_write_o && packet_q == LastPacket;
    assign fetch_done  = tracker_ready_read_o && ready_q == 2'd2;

    always_comb begin
      submit_full_o = '1;
      ready_empty_o = '1;
      if (submit_turn_valid) submit_full_o[submit_turn] = tracker_submit_full_i;
      if (fetch_turn_valid) ready_empty_o[fetch_turn] = tracker_ready_empty_i;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        packet_q <= '0;
        ready_q  <= '0;
      end else begin
        if (tracker_submit_write_o) packet_q <= submit_done ? '0 : packet_q + 1'b1;
        if (tracker_ready_read_o) ready_q <= fetch_done ? '0 : ready_q + 1'b1;
      end
    end

    `MYR_CHECK(RemembersAllSubmissions, submit_turn_ready)
    `MYR_CHECK(RemembersAllFetches, fetch_turn_ready)
    `MYR_CHECK(OneSubmits, (submit_write_i & (submit_write_i - 1'b1)) == '0)
    `MYR_CHECK(OneReads, (ready_read_i & (ready_read_i - 1'b1)) == '0)

    logic [Managers-1:0] retire_valid, retire_taken, retire_room;
    logic [Managers*PacketWidth-1:0] retire_id;
    logic retire_out_valid;

    assign retire_full_o = ~retire_room;

    for (genvar i = 0; i < Managers; i++) begin : g_retirement
      fifo #(
        .Width(PacketWidth),
        .Depth(2),
        .FallThrough(1'b1)
      ) u_queue (
        .clk_i,
        .rst_ni,
        .in_valid_i (retire_write_i[i]),
        .in_ready_o (retire_room[i]),
        .in_data_i  (retire_id_i[i*PacketWidth+:PacketWidth]),
        .out_valid_o(retire_valid[i]),
        .out_ready_i(retire_taken[i]),
        .out_data_o (retire_id[i*PacketWidth+:PacketWidth])
      );
    end

    round_robin_arbiter #(
      .Producers(Managers),
      .Width    (PacketWidth)
    ) u_retirement_arbiter (
      .clk_i,
      .rst_ni,
      .in_valid_i (retire_valid),
      .in_ready_o (retire_taken),
      .in_data_i  (retire_id),
      .out_valid_o(retire_out_valid),
      .out_ready_i(!tracker_retire_full_i),
      .out_data_o (tracker_retire_id_o)
    );

    assign tracker_retire_write_o = retire_out_valid && !tracker_retire_full_i;
  end

endmodule
