// SPDX-License-Identifier: Apache-2.0
//
// The whole scheduler: a delegate for each core, the manager, the tracker. What is around it are
// the RoCC ports of the cores, one after the other in each signal, core 0 in the low bits.
module picos_system #(
  parameter int unsigned Cores       = 8,
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
  logic registered, room, submit_write, submit_full, ready_empty, ready_read, retire_write, retire_full;
  picos_pkg::packet_t submit_packet, ready_packet, retire_packet;
  logic [picos_pkg::ErrorWidth-1:0] tracker_error, error;

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

  picos_manager #(
    .Cores      (Cores),
    .SubmitDepth(SubmitDepth),
    .ReadyDepth (ReadyDepth),
    .OrderDepth (OrderDepth)
  ) u_manager (
    .clk_i,
    .rst_ni,
    .request_valid_i        (request_valid),
    .request_ready_o        (request_ready),
    .request_triples_i      (request_triples),
    .request_sure_i         (request_sure),
    .triple_valid_i         (triple_valid),
    .triple_ready_o         (triple_ready),
    .triple_last_i          (triple_last),
    .triple_i               (triple),
    .fetch_valid_i          (fetch_valid),
    .fetch_ready_o          (fetch_ready),
    .ready_valid_o          (ready_valid),
    .ready_pop_i            (ready_pop),
    .ready_task_o           (ready_task),
    .retire_valid_i         (retire_valid),
    .retire_ready_o         (retire_ready),
    .retire_id_i            (retire_id),
    .core_error_i           (core_error),
    .tracker_submit_write_o (submit_write),
    .tracker_submit_full_i  (submit_full),
    .tracker_submit_packet_o(submit_packet),
    .tracker_registered_i   (registered),
    .tracker_room_i         (room),
    .tracker_ready_read_o   (ready_read),
    .tracker_ready_empty_i  (ready_empty),
    .tracker_ready_packet_i (ready_packet),
    .tracker_retire_write_o (retire_write),
    .tracker_retire_full_i  (retire_full),
    .tracker_retire_id_o    (retire_packet),
    .tracker_error_i        (tracker_error),
    .error_o                (error)
  );

  tracker #(
    .Tasks   (Tasks),
    .Versions(Versions),
    .Sets    (Sets),
    .Ways    (Ways)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .submit_write_i (submit_write),
    .submit_full_o  (submit_full),
    .submit_packet_i(submit_packet),
    .registered_o   (registered),
    .room_o         (room),
    .ready_empty_o  (ready_empty),
    .ready_read_i   (ready_read),
    .ready_packet_o (ready_packet),
    .retire_write_i (retire_write),
    .retire_full_o  (retire_full),
    .retire_id_i    (retire_packet),
    .error_o        (tracker_error)
  );

  assign error_o = error;

endmodule
