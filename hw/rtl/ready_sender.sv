// SPDX-License-Identifier: Apache-2.0
//
// Keeps the tasks that are ready, first come first served, and tells of each in three packets: its
// number, its name high, low. It has room for all tasks, so it never makes the engine wait.
// The queue of packets does not fall through: a packet is there in the cycle after read_i.
// Also knows which tasks run, so that no other can be retired.
// Latency: one cycle from ready to the first packet. Reset: no tasks.
`include "checks.svh"

module ready_sender #(
  parameter int unsigned Tasks = 256,
  localparam int unsigned TaskWidth = Tasks > 1 ? $clog2(Tasks) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  // Names of new tasks.
  input  logic new_valid_i,
  input  logic [TaskWidth-1:0] new_task_i,
  input  picos_pkg::name_t new_name_i,
  // Tasks that became ready.
  input  logic ready_valid_i,
  input  logic [TaskWidth-1:0] ready_task_i,
  // Packets.
  output logic empty_o,
  input  logic read_i,
  output picos_pkg::packet_t packet_o,
  // Retirement: whether a task runs, and that it ends.
  input  picos_pkg::packet_t retire_id_i,
  output logic retire_known_o,
  input  logic retired_i
);

  logic [picos_pkg::NameWidth-1:0] names[Tasks];
  logic [Tasks-1:0] running_q, starts, ends;
  logic [1:0] packet_q;
  logic front_valid, has_room, last_packet;
  logic [TaskWidth-1:0] front;
  picos_pkg::name_t front_name;

  fifo #(
    .Width(TaskWidth),
    .Depth(Tasks),
    .FallThrough(1'b1)
  ) u_ready (
    .clk_i,
    .rst_ni,
    .in_valid_i (ready_valid_i),
    .in_ready_o (has_room),
    .in_data_i  (ready_task_i),
    .out_valid_o(front_valid),
    .out_ready_i(last_packet),
    .out_data_o (front)
  );

  assign front_name  = names[front];
  assign empty_o     = !front_valid;
  assign last_packet = read_i && packet_q == 2'd2;

  always_ff @(posedge clk_i) begin
    if (new_valid_i) names[new_task_i] <= new_name_i;
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      unique case (packet_q)
        2'd0:    packet_o <= picos_pkg::PacketWidth'(front);
        2'd1:    packet_o <= front_name[63:32];
        default: packet_o <= front_name[31:0];
      endcase
    end
  end

  assign starts = Tasks'(last_packet) << front;
  assign ends   = Tasks'(retired_i) << TaskWidth'(retire_id_i);
  assign retire_known_o = retire_id_i < 32'(Tasks) && running_q[TaskWidth'(retire_id_i)];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      packet_q  <= '0;
      running_q <= '0;
    end else begin
      if (read_i) packet_q <= last_packet ? '0 : packet_q + 1'b1;
      running_q <= (running_q | starts) & ~ends;
    end
  end

  `MYR_CHECK(RoomForAll, !ready_valid_i || has_room)
  `MYR_CHECK(ReadsWhatIsThere, !read_i || front_valid)
  `MYR_CHECK(PacketInBounds, packet_q <= 2'd2)

endmodule
