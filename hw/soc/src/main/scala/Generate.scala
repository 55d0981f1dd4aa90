// SPDX-License-Identifier: Apache-2.0
//
// Usage: Generate CORES FOLDER: writes FOLDER/soc.v, the system with so many cores.
package soc

import chisel3.Driver

import freechips.rocketchip.diplomacy.LazyModule

object Generate extends App {
  private val cores = args(0).toInt
  private val options = Array("--target-dir", args(1), "--top-name", "soc")
  Driver.execute(
    options,
    () => LazyModule(new PicosSoc()(new PicosConfig(cores).toInstance)).module)
}
