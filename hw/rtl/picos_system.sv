// SPDX-License-Identifier: Apache-2.0
//
// The whole scheduler: a delegate for each core, a manager for each eight of them, the tracker. What
// is around it are the RoCC ports of the cores, one after the other in each signal, core 0 in the
// low bits.
module picos_system #(
  parameter int unsigned Cores       = 8,
  parameter int unsigned Managers    = (Cores + 7) / 8,  // with as many cores each
  parameter int unsigned Tasks       = 256,
  parameter int unsigned Versions    = 512,
  parameter int unsigned Sets        = 32,
  parameter int unsigned Ways        = 16,
  parameter int unsigned SubmitDepth = 32,
  parameter int unsigned ReadyDepth  = 2,
  parameter int unsigned OrderDepth  = 16
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Cores-1:0]       cmd_valid_i,
  output logic [Cores-1:0]       cmd_ready_o,
  input  logic [Cores*7-1:0]  cmd_funct_i,
  input  logic [Cores-1:0]       cmd_xd_i,
  input  logic [Cores*5-1:0]  cmd_rd_i,
  input  logic [Cores*64-1:0] cmd_rs1_i,
  input  logic [Cores*64-1:0] cmd_rs2_i,
  output logic [Cores-1:0]       resp_valid_o,
  input  logic [Cores-1:0]       resp_ready_i,
  output logic [Cores*5-1:0]  resp_rd_o,
  output logic [Cores*64-1:0] resp_data_o,
  output logic [3:0]             error_o
);

  localparam int unsigned Local = Cores / Managers;  // cores of a manager
  localparam int unsigned CountWidth = picos_pkg::TripleCountWidth;
  localparam int unsigned TripleWidth = picos_pkg::TripleWidth;
  localparam int unsigned TaskWidth = picos_pkg::ReadyTaskWidth;
  localparam int unsigned PacketWidth = picos_pkg::PacketWidth;
  localparam int unsigned ErrorWidth = picos_pkg::ErrorWidth;

  logic [Cores-1:0] request_valid, request_ready, request_sure, triple_valid, triple_ready, triple_last;
  logic [Cores*picos_pkg::TripleCountWidth-1:0] request_triples;
  logic [Cores*picos_pkg::TripleWidth-1:0] triple;
  logic [Cores-1:0] fetch_valid, fetch_ready, ready_valid, ready_pop, retire_valid, retire_ready;
  logic [Cores*picos_pkg::ReadyTaskWidth-1:0] ready_task;
  logic [Cores*picos_pkg::PacketWidth-1:0] retire_id;
  logic [Cores*picos_pkg::ErrorWidth-1:0] core_error;
  logic sure, registered, room;
  logic [Managers-1:0] submit_write, submit_full, ready_read, ready_empty, retire_write, retire_full;
  logic [Managers*picos_pkg::PacketWidth-1:0] submit_packet, retire_packet;
  logic tracker_submit_write, tracker_submit_full, tracker_ready_read, tracker_ready_empty;
  logic tracker_retire_write, tracker_retire_full;
  picos_pkg::packet_t tracker_submit_packet, tracker_ready_packet, tracker_retire_id;
  logic [picos_pkg::ErrorWidth-1:0] tracker_error, other_error;
  logic [Managers*picos_pkg::ErrorWidth-1:0] error;

  for (genvar core = 0; core < Cores; core++) begin : g_core
    logic [picos_pkg::ErrorWidth-1:0] delegate_error;

    picos_delegate u_delegate (
      .clk_i,
      .rst_ni,
      .cmd_valid_i      (cmd_valid_i[core]),
      .cmd_ready_o      (cmd_ready_o[core]),
      .cmd_funct_i      (cmd_funct_i[core*7+:7]),
      .cmd_xd_i         (cmd_xd_i[core]),
      .cmd_rd_i         (cmd_rd_i[core*5+:5]),
      .cmd_rs1_i        (cmd_rs1_i[core*64+:64]),
      .cmd_rs2_i        (cmd_rs2_i[core*64+:64]),
      .resp_valid_o     (resp_valid_o[core]),
      .resp_ready_i     (resp_ready_i[core]),
      .resp_rd_o        (resp_rd_o[core*5+:5]),
      .resp_data_o      (resp_data_o[core*64+:64]),
      .request_valid_o  (request_valid[core]),
      .request_ready_i  (request_ready[core]),
      .request_triples_o(request_triples[core*CountWidth+:CountWidth]),
      .request_sure_o   (request_sure[core]),
      .triple_valid_o   (triple_valid[core]),
      .triple_ready_i   (triple_ready[core]),
      .triple_last_o    (triple_last[core]),
      .triple_o         (triple[core*TripleWidth+:TripleWidth]),
      .fetch_valid_o    (fetch_valid[core]),
      .fetch_ready_i    (fetch_ready[core]),
      .ready_valid_i    (ready_valid[core]),
      .ready_pop_o      (ready_pop[core]),
      .ready_task_i     (ready_task[core*TaskWidth+:TaskWidth]),
      .retire_valid_o   (retire_valid[core]),
      .retire_ready_i   (retire_ready[core]),
      .retire_id_o      (retire_id[core*PacketWidth+:PacketWidth]),
      .error_o          (delegate_error)
    );
    assign core_error[core*ErrorWidth+:ErrorWidth] = delegate_error;
  end

  for (genvar i = 0; i < Managers; i++) begin : g_manager
    logic [picos_pkg::ErrorWidth-1:0] manager_error, error_beside;

    // Manager 0 keeps the first error of all.
    assign error_beside = i != 0 ? picos_pkg::ErrNone :
                          tracker_error != picos_pkg::ErrNone ? tracker_error : other_error;

    picos_manager #(
      .Cores      (Local),
      .SubmitDepth(SubmitDepth),
      .ReadyDepth (ReadyDepth),
      .OrderDepth (OrderDepth)
    ) u_manager (
      .clk_i,
      .rst_ni,
      .request_valid_i        (request_valid[i*Local+:Local]),
      .request_ready_o        (request_ready[i*Local+:Local]),
      .request_triples_i      (request_triples[i*Local*CountWidth+:Local*CountWidth]),
      .request_sure_i         (request_sure[i*Local+:Local]),
      .sure_i                 (sure),
      .triple_valid_i         (triple_valid[i*Local+:Local]),
      .triple_ready_o         (triple_ready[i*Local+:Local]),
      .triple_last_i          (triple_last[i*Local+:Local]),
      .triple_i               (triple[i*Local*TripleWidth+:Local*TripleWidth]),
      .fetch_valid_i          (fetch_valid[i*Local+:Local]),
      .fetch_ready_o          (fetch_ready[i*Local+:Local]),
      .ready_valid_o          (ready_valid[i*Local+:Local]),
      .ready_pop_i            (ready_pop[i*Local+:Local]),
      .ready_task_o           (ready_task[i*Local*TaskWidth+:Local*TaskWidth]),
      .retire_valid_i         (retire_valid[i*Local+:Local]),
      .retire_ready_o         (retire_ready[i*Local+:Local]),
      .retire_id_i            (retire_id[i*Local*PacketWidth+:Local*PacketWidth]),
      .core_error_i           (core_error[i*Local*ErrorWidth+:Local*ErrorWidth]),
      .tracker_submit_write_o (submit_write[i]),
      .tracker_submit_full_i  (submit_full[i]),
      .tracker_submit_packet_o(submit_packet[i*PacketWidth+:PacketWidth]),
      .tracker_ready_read_o   (ready_read[i]),
      .tracker_ready_empty_i  (ready_empty[i]),
      .tracker_ready_packet_i (tracker_ready_packet),
      .tracker_retire_write_o (retire_write[i]),
      .tracker_retire_full_i  (retire_full[i]),
      .tracker_retire_id_o    (retire_packet[i*PacketWidth+:PacketWidth]),
      .tracker_error_i        (error_beside),
      .error_o                (manager_error)
    );
    assign error[i*ErrorWidth+:ErrorWidth] = manager_error;
  end

  always_comb begin
    other_error = picos_pkg::ErrNone;
    for (int unsigned i = 1; i < Managers; i++) begin
      if (other_error == picos_pkg::ErrNone) other_error = error[i*ErrorWidth+:ErrorWidth];
    end
  end

  manager_hub #(
    .Managers  (Managers),
    .Cores     (Local),
    // A triple at least each, in the cores' buffers, and a few that have left them.
    .Granted   (Cores * SubmitDepth + 4 * Managers),
    .OrderDepth(OrderDepth)
  ) u_hub (
    .clk_i,
    .rst_ni,
    .request_valid_i        (request_valid),
    .request_granted_i      (request_valid & request_ready),
    .fetch_granted_i        (fetch_valid & fetch_ready),
    .sure_o                 (sure),
    .submit_write_i         (submit_write),
    .submit_full_o          (submit_full),
    .submit_packet_i        (submit_packet),
    .ready_read_i           (ready_read),
    .ready_empty_o          (ready_empty),
    .retire_write_i         (retire_write),
    .retire_full_o          (retire_full),
    .retire_id_i            (retire_packet),
    .tracker_submit_write_o (tracker_submit_write),
    .tracker_submit_full_i  (tracker_submit_full),
    .tracker_submit_packet_o(tracker_submit_packet),
    .tracker_registered_i   (registered),
    .tracker_room_i         (room),
    .tracker_ready_read_o   (tracker_ready_read),
    .tracker_ready_empty_i  (tracker_ready_empty),
    .tracker_retire_write_o (tracker_retire_write),
    .tracker_retire_full_i  (tracker_retire_full),
    .tracker_retire_id_o    (tracker_retire_id)
  );

  tracker #(
    .Tasks   (Tasks),
    .Versions(Versions),
    .Sets    (Sets),
    .Ways    (Ways)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .submit_write_i (tracker_submit_write),
    .submit_full_o  (tracker_submit_full),
    .submit_packet_i(tracker_submit_packet),
    .registered_o   (registered),
    .room_o         (room),
    .ready_empty_o  (tracker_ready_empty),
    .ready_read_i   (tracker_ready_read),
    .ready_packet_o (tracker_ready_packet),
    .retire_write_i (tracker_retire_write),
    .retire_full_o  (tracker_retire_full),
    .retire_id_i    (tracker_retire_id),
    .error_o        (tracker_error)
  );

  assign error_o = error[ErrorWidth-1:0];

  if (Managers * Local != Cores) begin : g_uneven
    $error("all managers must have as many cores");
  end

endmodule
