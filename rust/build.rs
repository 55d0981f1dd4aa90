// SPDX-License-Identifier: Apache-2.0
//
// Where libmyrmidon is: in the folder that MYRMIDON_LIBRARY names, or where pkg-config says.

use std::env;
use std::process::Command;

fn folder() -> Option<String> {
    if let Ok(folder) = env::var("MYRMIDON_LIBRARY") {
        return Some(folder);
    }
    let said = Command::new("pkg-config").args(["--variable=libdir", "myrmidon"]).output().ok()?;
    let folder = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    (said.status.success() && !folder.is_empty()).then_some(folder)
}

fn main() {
    println!("cargo:rerun-if-env-changed=MYRMIDON_LIBRARY");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Some(folder) = folder() {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-lib=dylib=myrmidon");
}
