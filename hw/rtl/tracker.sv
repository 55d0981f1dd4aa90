// SPDX-License-Identifier: Apache-2.0
//
// The dependence tracker, in the role of Picos: takes tasks as 48 packets, tells which are ready,
// and is told which have run. A task is ready once the tasks before it that write what it reads or
// writes, or read what it writes, have retired.
// When a table is full the submission queue fills up and pushes back; nothing is lost, and what
// was accepted goes on. Retirement is always taken in the end.
// Latency: a task without followers in its way is ready 3 cycles after its last dependence; a
// follower 2 cycles after its last predecessor retires; one more to its first packet.
// Reset: no tasks.
`include "checks.svh"

module tracker #(
  parameter int unsigned Tasks       = 256,  // that may be submitted and not retired
  parameter int unsigned Versions    = 512,  // of addresses
  parameter int unsigned Sets        = 32,   // of addresses, Ways each
  parameter int unsigned Ways        = 16,
  parameter int unsigned DepsMax     = picos_pkg::DepsMax,
  parameter int unsigned SubmitDepth = 4,    // packets
  parameter int unsigned RetireDepth = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  // Submission: write while not full.
  input  logic submit_write_i,
  output logic submit_full_o,
  input  picos_pkg::packet_t submit_packet_i,
  output logic registered_o,  // all of a task that was submitted, in this cycle
  output logic room_o,        // for one more task, if its dependences find room
  // Ready tasks: read while not empty; the packet is there a cycle later.
  output logic ready_empty_o,
  input  logic ready_read_i,
  output picos_pkg::packet_t ready_packet_o,
  // Retirement: write while not full.
  input  logic retire_write_i,
  output logic retire_full_o,
  input  picos_pkg::packet_t retire_id_i,
  output logic [picos_pkg::ErrorWidth-1:0] error_o
);

  localparam int unsigned TaskWidth = Tasks > 1 ? $clog2(Tasks) : 1;

  logic packet_valid, packet_ready, submit_ready, retire_ready;
  picos_pkg::packet_t packet, retired;
  logic step_valid, step_ready, step_is_head, step_writes;
  picos_pkg::name_t step_name;
  picos_pkg::dep_count_t step_deps;
  logic [picos_pkg::ErrorWidth-1:0] decoder_error;
  logic retired_valid, retired_taken, retired_known;
  logic new_valid, met_valid, ready_valid;
  logic [TaskWidth-1:0] new_task, met_task, ready_task;

  assign submit_full_o = !submit_ready;
  assign retire_full_o = !retire_ready;

  fifo #(
    .Width(picos_pkg::PacketWidth),
    .Depth(SubmitDepth),
    .FallThrough(1'b1)
  ) u_submission_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i (submit_write_i),
    .in_ready_o (submit_ready),
    .in_data_i  (submit_packet_i),
    .out_valid_o(packet_valid),
    .out_ready_i(packet_ready),
    .out_data_o (packet)
  );

  fifo #(
    .Width(picos_pkg::PacketWidth),
    .Depth(RetireDepth),
    .FallThrough(1'b1)
  ) u_retirement_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i (retire_write_i),
    .in_ready_o (retire_ready),
    .in_data_i  (retire_id_i),
    .out_valid_o(retired_valid),
    .out_ready_i(retired_taken || !retired_known),
    .out_data_o (retired)
  );

  packet_decoder u_packet_decoder (
    .clk_i,
    .rst_ni,
    .in_valid_i    (packet_valid),
    .in_ready_o    (packet_ready),
    .in_packet_i   (packet),
    .step_valid_o  (step_valid),
    .step_ready_i  (step_ready),
    .step_is_head_o(step_is_head),
    .step_name_o   (step_name),
    .step_deps_o   (step_deps),
    .step_writes_o (step_writes),
    .last_taken_o  (registered_o),
    .error_o       (decoder_error)
  );

  tracker_engine #(
    .Tasks   (Tasks),
    .Versions(Versions),
    .Sets    (Sets),
    .Ways    (Ways),
    .DepsMax (DepsMax)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .step_valid_i  (step_valid),
    .step_ready_o  (step_ready),
    .step_is_head_i(step_is_head),
    .step_name_i   (step_name),
    .step_writes_i (step_writes),
    .retire_valid_i(retired_valid && retired_known),
    .retire_ready_o(retired_taken),
    .retire_task_i (TaskWidth'(retired)),
    .room_o,
    .new_valid_o   (new_valid),
    .new_task_o    (new_task),
    .met_valid_o   (met_valid),
    .met_task_o    (met_task)
  );

  countdown #(
    .Tasks(Tasks)
  ) u_countdown (
    .clk_i,
    .rst_ni,
    .new_valid_i  (new_valid),
    .new_task_i   (new_task),
    .new_deps_i   (step_deps),
    .met_valid_i  (met_valid),
    .met_task_i   (met_task),
    .ready_valid_o(ready_valid),
    .ready_task_o (ready_task)
  );

  ready_sender #(
    .Tasks(Tasks)
  ) u_ready_sender (
    .clk_i,
    .rst_ni,
    .new_valid_i   (new_valid),
    .new_task_i    (new_task),
    .new_name_i    (step_name),
    .ready_valid_i (ready_valid),
    .ready_task_i  (ready_task),
    .empty_o       (ready_empty_o),
    .read_i        (ready_read_i),
    .packet_o      (ready_packet_o),
    .retire_id_i   (retired),
    .retire_known_o(retired_known),
    .retired_i     (retired_valid && retired_known && retired_taken)
  );

  assign error_o = retired_valid && !retired_known ? picos_pkg::ErrRetireUnknown : decoder_error;

  `MYR_CHECK(WritesSubmissionWhileNotFull, !submit_write_i || !submit_full_o)
  `MYR_CHECK(WritesRetirementWhileNotFull, !retire_write_i || !retire_full_o)
  `MYR_CHECK(ReadsReadyWhileNotEmpty, !ready_read_i || !ready_empty_o)

endmodule
