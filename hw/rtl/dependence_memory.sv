// SPDX-License-Identifier: Apache-2.0
//
// Which version of each address is the youngest: a table keyed by address, in sets of Ways entries.
// A set has at least 15 ways, so it has room for all dependences of one task; when it is full,
// only tasks before that one can be in the way, and they end without it.
// Latency: none from address to answer. One change a cycle: insert, replace or remove.
// Reset: empty.
`include "checks.svh"

module dependence_memory #(
  parameter int unsigned Sets         = 32,
  parameter int unsigned Ways         = 16,
  parameter int unsigned VersionWidth = 9,
  parameter int unsigned WaysMin      = picos_pkg::DepsMax,  // dependences of a task
  localparam int unsigned SetWidth = Sets > 1 ? $clog2(Sets) : 1,
  localparam int unsigned WayWidth = $clog2(Ways),
  localparam int unsigned EntryWidth = SetWidth + WayWidth
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Look up: the entry of an address, or a free one of its set.
  input  picos_pkg::name_t        address_i,
  output logic                    hit_o,
  output logic                    room_o,  // no hit: whether there is a free entry
  output logic [EntryWidth-1:0]   entry_o,
  output logic [VersionWidth-1:0] version_o,
  // Change.
  input  logic                    insert_i,   // gives the entry to insert_address_i
  input  logic                    replace_i,  // makes another version the youngest
  input  logic                    remove_i,   // frees the entry
  input  logic [EntryWidth-1:0]   change_entry_i,
  input  picos_pkg::name_t        change_address_i,
  input  logic [VersionWidth-1:0] change_version_i
);

  logic [SetWidth-1:0] set, change_set;
  logic [WayWidth-1:0] way, change_way;
  logic [Ways-1:0] used, hits, free, chosen;
  logic [Ways*VersionWidth-1:0] versions;
  logic [Sets-1:0] inserts, removes;  // the set that changes

  // All bits of the address above the word take part, so that arrays with any stride spread.
  always_comb begin
    set = '0;
    for (int unsigned bit_index = 3; bit_index < picos_pkg::NameWidth; bit_index++) begin
      set[bit_index % SetWidth] = set[bit_index % SetWidth] ^ address_i[bit_index];
    end
    set = SetWidth'(32'(set) % Sets);
  end

  assign {change_set, change_way} = change_entry_i;
  assign inserts = Sets'(insert_i) << change_set;
  assign removes = Sets'(remove_i) << change_set;

  for (genvar i = 0; i < Ways; i++) begin : g_way
    logic [picos_pkg::NameWidth-1:0] address[Sets];
    logic [VersionWidth-1:0] version[Sets];
    logic [Sets-1:0] used_q;
    logic changes;

    assign changes     = change_way == WayWidth'(i);
    assign used[i]     = used_q[set];
    assign hits[i]     = used_q[set] && address[set] == address_i;
    assign versions[i*VersionWidth+:VersionWidth] = version[set];

    always_ff @(posedge clk_i) begin
      if (changes && insert_i) address[change_set] <= change_address_i;
      if (changes && (insert_i || replace_i)) version[change_set] <= change_version_i;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) used_q <= '0;
      else if (changes) used_q <= (used_q | inserts) & ~removes;
    end

    `MYR_CHECK(InsertsIntoFree, !(changes && insert_i) || !used_q[change_set])
    `MYR_CHECK(ChangesUsed, !(changes && (replace_i || remove_i)) || used_q[change_set])
  end

  assign free    = ~used;
  assign hit_o   = |hits;
  assign room_o  = |free;
  assign chosen  = hit_o ? hits : free & (~free + 1'b1);
  assign entry_o = {set, way};

  always_comb begin
    way       = '0;
    version_o = '0;
    for (int unsigned i = 0; i < Ways; i++) begin
      if (chosen[i]) way = way | WayWidth'(i);
      if (chosen[i]) version_o = version_o | versions[i*VersionWidth+:VersionWidth];
    end
  end

  if (Ways < WaysMin) begin : g_too_few_ways
    $error("a set must have room for all dependences of one task");
  end

  `MYR_CHECK(OneHit, (hits & (hits - 1'b1)) == '0)
  `MYR_CHECK(OneChange, 2'(insert_i) + 2'(replace_i) + 2'(remove_i) <= 2'd1)

endmodule
