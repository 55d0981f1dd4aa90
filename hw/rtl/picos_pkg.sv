// SPDX-License-Identifier: Apache-2.0
//
// Words, formats and codes that more than one block uses. The instructions' and errors' codes are
// those of hw/firmware/include/picos.h; hw/tb/encodings_test.cpp compares the two.
package picos_pkg;

  // A task travels as 48 packets: three of head (name high, name low, number of dependences), then
  // three for each of 15 dependences (two for the address, one for the direction), zeros where
  // there is none (fig. 3 of the paper). The tracker compares addresses and never counts with
  // them, so it does not matter which half of an address comes first, as long as it is the same.
  localparam int unsigned PacketWidth = 32;
  localparam int unsigned DepsMax = 15;
  localparam int unsigned TripleWidth = 3 * PacketWidth;
  localparam int unsigned TriplesPerTask = 1 + DepsMax;
  localparam int unsigned PacketsPerTask = 3 * TriplesPerTask;
  localparam int unsigned NameWidth = 64;
  localparam int unsigned DepCountWidth = 4;     // 0 to 15
  localparam int unsigned TripleCountWidth = 5;  // 0 to 16
  localparam int unsigned ReadyTaskWidth = PacketWidth + NameWidth;
  localparam int unsigned ErrorWidth = 4;

  typedef logic [PacketWidth-1:0] packet_t;
  typedef logic [TripleWidth-1:0] triple_t;  // three packets, the first in the top bits
  typedef logic [NameWidth-1:0] name_t;      // what software calls a task (SW ID), or an address
  typedef logic [DepCountWidth-1:0] dep_count_t;
  typedef logic [TripleCountWidth-1:0] triple_count_t;

  // The direction packet: bit 0 reads, bit 1 writes. A dependence that does neither is a read.
  localparam int unsigned DirectionWritesBit = 1;

  // A range: bits 2 to 7 are the logarithm of a block's bytes, 8 to 11 how many blocks follow the
  // first. It is as many dependences as it has blocks, and the high half of its address comes first.
  // Zeros: an exact address, one dependence.
  localparam int unsigned RangeShiftBit = 2;
  localparam int unsigned RangeShiftWidth = 6;
  localparam int unsigned RangeMoreBit = 8;

  // A task that may run, as a core's ready queue holds it.
  typedef struct packed {
    packet_t picos_id;
    name_t   sw_id;
  } ready_task_t;

  // funct7 of the instructions (table I of the paper).
  typedef enum logic [6:0] {
    FnSubmissionRequest  = 7'd0,
    FnSubmitPacket       = 7'd1,
    FnSubmitThreePackets = 7'd2,
    FnReadyTaskRequest   = 7'd3,
    FnFetchSwId          = 7'd4,
    FnFetchPicosId       = 7'd5,
    FnRetireTask         = 7'd6
  } funct_e;

  // Submission Request: bit 6 of the number of packets asks for a task that will be registered
  // whatever the tasks before it wait for; it may have no dependences.
  localparam int unsigned RequestSureBit = 6;

  // What Submission Request, Submit and Ready Task Request return, and what a Fetch returns when
  // there is nothing to fetch.
  localparam logic [63:0] FlagDone = 64'd1;
  localparam logic [63:0] FlagFailed = 64'd0;
  localparam logic [63:0] NothingToFetch = '1;

  // The 4-bit error output keeps the first error until reset.
  typedef enum logic [ErrorWidth-1:0] {
    ErrNone           = 4'd0,
    ErrPacketCount    = 4'd1,  // a request for no packets, more than 48, or not a multiple of three
    ErrRequestTwice   = 4'd2,  // a request before all packets of the last one were submitted
    ErrPacketUnasked  = 4'd3,  // a packet that no request announced
    ErrInstruction    = 4'd4,  // an instruction that table I does not have
    ErrDepCount       = 4'd5,  // a head that names another number of dependences than requested
    ErrRetireUnknown  = 4'd6   // retirement of a task that is not running
  } error_e;

endpackage
