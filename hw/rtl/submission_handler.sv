// SPDX-License-Identifier: Apache-2.0
//
// Brings the tasks that cores submit to the tracker, one whole task after the other, in the order
// of the cores' requests (fig. 4 of the paper): buffers of the cores, guided arbiter, zero padder,
// final buffer, crossing to the tracker's handshake.
// A request is granted only if the core's buffer has room for all that it announces. So a core
// that was granted never finds its buffer full, and need not look at what Submit returns.
// A sure request, of a task without dependences, is granted only if nothing is in front of it and
// the tracker has room (sure_i): so it is registered whatever other tasks wait for. Software spawns
// with it inside of tasks for which others wait.
// Latency from a core's triple to the tracker: none while everything is empty.
`include "checks.svh"

module submission_handler #(
  parameter int unsigned Cores      = 8,
  parameter int unsigned CoreDepth  = 32,  // triples a core; at least 16, a task's
  parameter int unsigned OrderDepth = 16,
  parameter int unsigned FinalDepth = 16   // packets
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Cores-1:0] request_valid_i,
  output logic [Cores-1:0] request_ready_o,
  input  logic [Cores*picos_pkg::TripleCountWidth-1:0] request_triples_i,
  input  logic [Cores-1:0] request_sure_i,
  input  logic             sure_i,  // a task requested in this cycle is sure to be registered
  input  logic [Cores-1:0] triple_valid_i,
  output logic [Cores-1:0] triple_ready_o,
  input  logic [Cores-1:0] triple_last_i,
  input  logic [Cores*picos_pkg::TripleWidth-1:0] triple_i,
  // To the tracker: write while not full.
  output logic             tracker_write_o,
  input  logic             tracker_full_i,
  output picos_pkg::packet_t tracker_packet_o
);

  localparam int unsigned TripleWidth = picos_pkg::TripleWidth;
  localparam int unsigned CountWidth = picos_pkg::TripleCountWidth;
  localparam int unsigned RoomWidth = $clog2(CoreDepth + 1);

  logic [Cores-1:0] granted, head_valid, head_ready, head_last;
  logic [Cores*picos_pkg::TripleWidth-1:0] head_triple;
  logic order_ready;
  logic next_valid, next_ready, next_last;
  picos_pkg::triple_t next_triple;
  logic packet_valid, packet_ready;
  picos_pkg::packet_t packet;
  logic final_valid, final_ready;
  picos_pkg::packet_t final_packet;

  assign granted = request_valid_i & request_ready_o;

  for (genvar core = 0; core < Cores; core++) begin : g_core
    logic [RoomWidth-1:0] room_q;  // triples that nobody has announced yet
    picos_pkg::triple_count_t triples;

    assign triples = request_triples_i[core*CountWidth+:CountWidth];

    assign request_ready_o[core] =
        order_ready && room_q >= RoomWidth'(triples) && (!request_sure_i[core] || sure_i);

    fifo #(
      .Width(picos_pkg::TripleWidth + 1),
      .Depth(CoreDepth),
      .FallThrough(1'b1)
    ) u_buffer (
      .clk_i,
      .rst_ni,
      .in_valid_i (triple_valid_i[core]),
      .in_ready_o (triple_ready_o[core]),
      .in_data_i  ({triple_last_i[core], triple_i[core*TripleWidth+:TripleWidth]}),
      .out_valid_o(head_valid[core]),
      .out_ready_i(head_ready[core]),
      .out_data_o ({head_last[core], head_triple[core*TripleWidth+:TripleWidth]})
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        room_q <= RoomWidth'(CoreDepth);
      end else begin
        room_q <= room_q
            - (granted[core] ? RoomWidth'(triples) : '0)
            + RoomWidth'(head_valid[core] && head_ready[core]);
      end
    end

    `MYR_CHECK(RoomInBounds, room_q <= RoomWidth'(CoreDepth))
    `MYR_CHECK(AnnouncedHasRoom, !triple_valid_i[core] || triple_ready_o[core])
  end

  guided_arbiter #(
    .Cores(Cores),
    .Depth(OrderDepth)
  ) u_guided_arbiter (
    .clk_i,
    .rst_ni,
    .request_i      (granted),
    .request_ready_o(order_ready),
    .in_valid_i     (head_valid),
    .in_ready_o     (head_ready),
    .in_last_i      (head_last),
    .in_triple_i    (head_triple),
    .out_valid_o    (next_valid),
    .out_ready_i    (next_ready),
    .out_last_o     (next_last),
    .out_triple_o   (next_triple)
  );

  zero_padder u_zero_padder (
    .clk_i,
    .rst_ni,
    .in_valid_i  (next_valid),
    .in_ready_o  (next_ready),
    .in_last_i   (next_last),
    .in_triple_i (next_triple),
    .out_valid_o (packet_valid),
    .out_ready_i (packet_ready),
    .out_packet_o(packet)
  );

  fifo #(
    .Width(picos_pkg::PacketWidth),
    .Depth(FinalDepth),
    .FallThrough(1'b1)
  ) u_final_buffer (
    .clk_i,
    .rst_ni,
    .in_valid_i (packet_valid),
    .in_ready_o (packet_ready),
    .in_data_i  (packet),
    .out_valid_o(final_valid),
    .out_ready_i(final_ready),
    .out_data_o (final_packet)
  );

  crossing_to_tracker #(
    .Width(picos_pkg::PacketWidth)
  ) u_crossing (
    .in_valid_i(final_valid),
    .in_ready_o(final_ready),
    .in_data_i (final_packet),
    .write_o   (tracker_write_o),
    .full_i    (tracker_full_i),
    .data_o    (tracker_packet_o)
  );

endmodule
