// SPDX-License-Identifier: Apache-2.0
//
// Between the cores' delegates and the tracker (fig. 5 of the paper): serialises submissions,
// gives ready tasks to the cores in the order in which they asked, merges retirements. It knows
// nothing about dependences, so another scheduler with the same three queues can stand behind it.
// What is around it tells when a request is sure to be registered, for which all managers count.
// Latency with nothing waiting: none from a triple or a retirement to the tracker; one cycle from
// the third packet of a ready task to the core's queue, and one more in it.
// Reset: all queues empty, no error.
`include "checks.svh"

module picos_manager #(
  parameter int unsigned Cores        = 8,
  parameter int unsigned SubmitDepth  = 32,  // triples that each core may have waiting
  parameter int unsigned FinalDepth   = 16,  // packets in front of the tracker
  parameter int unsigned ReadyDepth   = 2,   // ready tasks of each core, asked for or there
  parameter int unsigned CentralDepth = 4,   // ready tasks of nobody
  parameter int unsigned OrderDepth   = 16   // cycles with requests that are remembered
) (
  input  logic clk_i,
  input  logic rst_ni,
  // Each core: submission requests, submitted triples, work-fetch requests, ready tasks, retirement.
  input  logic [Cores-1:0] request_valid_i,
  output logic [Cores-1:0] request_ready_o,
  input  logic [Cores*picos_pkg::TripleCountWidth-1:0] request_triples_i,
  input  logic [Cores-1:0] request_sure_i,
  input  logic             sure_i,
  input  logic [Cores-1:0] triple_valid_i,
  output logic [Cores-1:0] triple_ready_o,
  input  logic [Cores-1:0] triple_last_i,
  input  logic [Cores*picos_pkg::TripleWidth-1:0] triple_i,
  input  logic [Cores-1:0] fetch_valid_i,
  output logic [Cores-1:0] fetch_ready_o,
  output logic [Cores-1:0] ready_valid_o,
  input  logic [Cores-1:0] ready_pop_i,
  output logic [Cores*picos_pkg::ReadyTaskWidth-1:0] ready_task_o,
  input  logic [Cores-1:0] retire_valid_i,
  output logic [Cores-1:0] retire_ready_o,
  input  logic [Cores*picos_pkg::PacketWidth-1:0] retire_id_i,
  input  logic [Cores*picos_pkg::ErrorWidth-1:0] core_error_i,
  // The tracker's queues.
  output logic tracker_submit_write_o,
  input  logic tracker_submit_full_i,
  output picos_pkg::packet_t tracker_submit_packet_o,
  output logic tracker_ready_read_o,
  input  logic tracker_ready_empty_i,
  input  picos_pkg::packet_t tracker_ready_packet_i,
  output logic tracker_retire_write_o,
  input  logic tracker_retire_full_i,
  output picos_pkg::packet_t tracker_retire_id_o,
  input  logic [picos_pkg::ErrorWidth-1:0] tracker_error_i,
  // For debugging: the first error since reset.
  output logic [picos_pkg::ErrorWidth-1:0] error_o
);

  localparam int unsigned TaskWidth = picos_pkg::ReadyTaskWidth;

  logic packet_valid, packet_ready;
  picos_pkg::packet_t packet;
  logic encoded_valid, encoded_ready, central_valid, central_ready;
  picos_pkg::ready_task_t encoded, central;
  logic [Cores-1:0] give;
  logic retire_valid, retire_ready;
  picos_pkg::packet_t retire_id;

  submission_handler #(
    .Cores     (Cores),
    .CoreDepth (SubmitDepth),
    .OrderDepth(OrderDepth),
    .FinalDepth(FinalDepth)
  ) u_submission_handler (
    .clk_i,
    .rst_ni,
    .request_valid_i,
    .request_ready_o,
    .request_triples_i,
    .request_sure_i,
    .sure_i,
    .triple_valid_i,
    .triple_ready_o,
    .triple_last_i,
    .triple_i,
    .tracker_write_o (tracker_submit_write_o),
    .tracker_full_i  (tracker_submit_full_i),
    .tracker_packet_o(tracker_submit_packet_o)
  );

  crossing_from_tracker #(
    .Width(picos_pkg::PacketWidth)
  ) u_ready_crossing (
    .clk_i,
    .rst_ni,
    .read_o     (tracker_ready_read_o),
    .empty_i    (tracker_ready_empty_i),
    .data_i     (tracker_ready_packet_i),
    .out_valid_o(packet_valid),
    .out_ready_i(packet_ready),
    .out_data_o (packet)
  );

  packet_encoder u_packet_encoder (
    .clk_i,
    .rst_ni,
    .in_valid_i (packet_valid),
    .in_ready_o (packet_ready),
    .in_packet_i(packet),
    .out_valid_o(encoded_valid),
    .out_ready_i(encoded_ready),
    .out_task_o (encoded)
  );

  fifo #(
    .Width(picos_pkg::ReadyTaskWidth),
    .Depth(CentralDepth),
    .FallThrough(1'b1)
  ) u_central_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i (encoded_valid),
    .in_ready_o (encoded_ready),
    .in_data_i  (encoded),
    .out_valid_o(central_valid),
    .out_ready_i(central_ready),
    .out_data_o (central)
  );

  work_fetch_arbiter #(
    .Cores     (Cores),
    .ReadyDepth(ReadyDepth),
    .OrderDepth(OrderDepth)
  ) u_work_fetch_arbiter (
    .clk_i,
    .rst_ni,
    .request_valid_i(fetch_valid_i),
    .request_ready_o(fetch_ready_o),
    .task_valid_i   (central_valid),
    .task_ready_o   (central_ready),
    .give_o         (give),
    .fetched_i      (ready_pop_i)
  );

  for (genvar core = 0; core < Cores; core++) begin : g_core
    logic ready_has_room;

    fifo #(
      .Width(picos_pkg::ReadyTaskWidth),
      .Depth(ReadyDepth)
    ) u_ready_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (give[core]),
      .in_ready_o (ready_has_room),
      .in_data_i  (central),
      .out_valid_o(ready_valid_o[core]),
      .out_ready_i(ready_pop_i[core]),
      .out_data_o (ready_task_o[core*TaskWidth+:TaskWidth])
    );

    `MYR_CHECK(GivenHasRoom, !give[core] || ready_has_room)
    `MYR_CHECK(PopsWhatIsThere, !ready_pop_i[core] || ready_valid_o[core])
  end

  round_robin_arbiter #(
    .Producers(Cores),
    .Width    (picos_pkg::PacketWidth)
  ) u_retirement_arbiter (
    .clk_i,
    .rst_ni,
    .in_valid_i (retire_valid_i),
    .in_ready_o (retire_ready_o),
    .in_data_i  (retire_id_i),
    .out_valid_o(retire_valid),
    .out_ready_i(retire_ready),
    .out_data_o (retire_id)
  );

  crossing_to_tracker #(
    .Width(picos_pkg::PacketWidth)
  ) u_retirement_crossing (
    .in_valid_i(retire_valid),
    .in_ready_o(retire_ready),
    .in_data_i (retire_id),
    .write_o   (tracker_retire_write_o),
    .full_i    (tracker_retire_full_i),
    .data_o    (tracker_retire_id_o)
  );

  logic [picos_pkg::ErrorWidth-1:0] error_now;

  always_comb begin
    error_now = tracker_error_i;
    for (int unsigned i = 0; i < Cores; i++) begin
      if (error_now == picos_pkg::ErrNone) error_now = core_error_i[i*picos_pkg::ErrorWidth+:picos_pkg::ErrorWidth];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_o <= picos_pkg::ErrNone;
    else if (error_o == picos_pkg::ErrNone) error_o <= error_now;
  end

endmodule
