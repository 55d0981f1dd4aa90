// SPDX-License-Identifier: Apache-2.0
//
//! What the benchmarks call of rayon, as functions of C: rayon.hpp declares them.

use std::ffi::c_void;

type Body = unsafe extern "C" fn(scope: *const c_void, data: *mut c_void);

/// The caller says that its data may go to another thread.
struct Data(*mut c_void);
unsafe impl Send for Data {}

impl Data {
    fn get(self) -> *mut c_void {
        self.0
    }
}

fn address(scope: &rayon::Scope<'_>) -> *const c_void {
    (scope as *const rayon::Scope<'_>).cast()
}

#[no_mangle]
pub extern "C" fn rival_rayon_start(threads: usize) {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .expect("the pool of threads starts once");
}

/// # Safety
/// See rayon.hpp.
#[no_mangle]
pub unsafe extern "C" fn rival_rayon_scope(body: Body, data: *mut c_void) {
    let data = Data(data);
    rayon::scope(move |scope| body(address(scope), data.get()));
}

/// # Safety
/// See rayon.hpp.
#[no_mangle]
pub unsafe extern "C" fn rival_rayon_spawn(scope: *const c_void, body: Body, data: *mut c_void) {
    let scope = &*scope.cast::<rayon::Scope<'static>>();
    let data = Data(data);
    scope.spawn(move |scope| body(address(scope), data.get()));
}

#[no_mangle]
pub extern "C" fn rival_rayon_fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (left, right) = rayon::join(|| rival_rayon_fib(n - 1), || rival_rayon_fib(n - 2));
    left + right
}
