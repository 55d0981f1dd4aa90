// SPDX-License-Identifier: Apache-2.0
//
// What is used of myr.h and frontend.h, as it stands there.

use std::os::raw::{c_char, c_int, c_uint, c_void};

pub const IN: u64 = 1;
pub const INOUT: u64 = 3;
pub const EXIT_MISUSE: i32 = 70;
/// What a body is given in place of accesses when its task is cancelled.
pub const CANCELLED: usize = usize::MAX;

/// `myr_access`: an address; 48 bits of length, and 16 of flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Access {
    pub address: *const c_void,
    pub length_and_flags: u64,
}

impl Access {
    pub fn new(address: *const u8, bytes: usize, flags: u64) -> Access {
        assert!(bytes < (1 << 48) - 1, "an access of more than 2^48 - 2 bytes");
        Access { address: address.cast(), length_and_flags: bytes as u64 | flags << 48 }
    }
}

#[repr(C)]
pub struct Site {
    pub file: *const c_char,
    pub function: *const c_char,
    pub line: c_uint,
    pub column: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Draft {
    pub closure: *mut c_void,
    pub accesses: *mut Access,
    pub task: *mut c_void,
}

pub type Body = unsafe extern "C" fn(closure: *mut c_void, accesses: *const Access);

#[repr(C)]
pub struct TwoBodies {
    pub size: usize,
    pub whole: Option<Body>,
    pub first: Option<Body>,
    pub second: Option<Body>,
}

#[repr(C)]
pub struct ExceptionKind {
    pub size: usize,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub rethrow: unsafe extern "C" fn(*mut c_void),
    pub describe: unsafe extern "C" fn(*mut c_void, *mut c_char, usize),
    pub name: unsafe extern "C" fn(*mut c_void, *mut c_char, usize, *mut c_char, usize),
    pub revive: unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Exception {
    pub object: *mut c_void,
    pub kind: *const ExceptionKind,
}

extern "C" {
    pub fn myr_draft_new_at(closure_bytes: usize, access_count: usize, site: *const Site) -> Draft;
    pub fn myr_draft_keep_here(draft: Draft);
    pub fn myr_submit_at(draft: Draft, body: Body, site: *const Site);
    pub fn myr_submit_later_at(
        draft: Draft,
        bodies: *const TwoBodies,
        last_count: usize,
        site: *const Site,
    );
    pub fn myr_wait_at(accesses: *const Access, count: usize, site: *const Site);
    pub fn myr_wait_all_at(site: *const Site);
    pub fn myr_task_failed(exception: Exception);
    pub fn myr_take_failure() -> Exception;
    pub fn myr_worker_index() -> c_uint;
    pub fn myr_worker_count() -> c_uint;
}

const _: () = assert!(std::mem::size_of::<Access>() == 16);
const _: () = assert!(std::mem::size_of::<c_int>() == 4);
