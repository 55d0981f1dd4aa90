// SPDX-License-Identifier: Apache-2.0

//! Runs functions as tasks that declare what they read and write, in parallel as far as that
//! allows, with the result of the serial program.
//!
//! ```
//! use myrmidon::{reads, scope, writes};
//!
//! let mut sums = vec![0; 4];
//! scope(|s| {
//!     let numbers = s.data(Vec::new());
//!     let parts = s.lend(&mut sums[..]);
//!     s.task((writes(&numbers),)).run(|numbers| numbers.extend(1..=100));
//!     for i in 0..4 {
//!         s.task((reads(&numbers), writes(&parts.part(i..i + 1))))
//!             .run(move |numbers, sum| sum[0] = numbers[25 * i..25 * (i + 1)].iter().sum());
//!     }
//! });
//! assert_eq!(sums, [325, 950, 1575, 2200]);
//! ```
//!
//! The footprint of a task is what its types say. It gets `&T` of what it reads and `&mut T` of
//! what it writes, and cannot name the data otherwise:
//!
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! scope(|s| {
//!     let (a, b) = (s.data(1), s.data(2));
//!     s.task((reads(&a),)).run(|a| println!("{}", *a + *b.read())); // b is not declared
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! scope(|s| {
//!     let a = s.data(1);
//!     s.task((reads(&a),)).run(|a| *a = 2); // a is not declared as written
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! let mut kept = &0;
//! scope(|s| {
//!     let a = s.data(1);
//!     s.task((reads(&a),)).run(|a| kept = a); // a reference would outlive the task
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! let mut x = 1;
//! scope(|s| {
//!     let a = s.lend(&mut x);
//!     s.task((reads(&a),)).run(|a| println!("{a}"));
//!     x = 2; // lent until the scope ends
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! scope(|s| {
//!     let a = s.data(1);
//!     let access = reads(&a);
//!     drop(a); // while the access names it
//!     s.task((access,)).run(|a| println!("{a}"));
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! scope(|s| {
//!     let a = s.data(1);
//!     s.task(()).run(|| println!("{}", *a.read())); // data belong to the scope's owner
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::scope;
//! scope(|s| {
//!     let local = 1;
//!     s.task(()).run(|| println!("{local}")); // ends before the scope has waited
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::scope;
//! scope(|s| {
//!     let mut local = 1;
//!     let a = s.lend(&mut local); // the same
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::{scope, writes};
//! let mut x = 1;
//! scope(|s| {
//!     let a = s.data(0);
//!     let x = &mut x; // may be captured by one task, but another might use it meanwhile
//!     s.task((writes(&a),)).run(|a| *a = *x);
//!     s.task((writes(&a),)).run(|a| *x = *a);
//! });
//! ```
//! ```compile_fail
//! # use myrmidon::scope;
//! let a = scope(|s| s.data(1)); // belongs to the scope
//! ```
//! ```compile_fail
//! # use myrmidon::{reads, scope};
//! scope(|s| {
//!     let a = s.data(std::cell::Cell::new(1));
//!     s.task((reads(&a),)).run(|a| a.set(2)); // two tasks that read may run at once
//! });
//! ```
//!
//! Values own what they reach, so an access to one names all of it: a tree is one [`Data`], as a
//! region is in C++.

#[cfg(doctest)]
#[doc = include_str!("../../docs/user/rust.md")]
struct Page;

mod failure;
mod scope;
mod site;
mod sys;
mod task;

pub use failure::TaskPanic;
pub use scope::{scope, Data, Part, Ref, RefMut, Scope};
pub use task::{reads, writes, Declared, In, InOut, Task};

/// How many workers run tasks.
#[must_use]
pub fn worker_count() -> usize {
    // SAFETY: any thread may call it.
    unsafe { sys::myr_worker_count() as usize }
}

/// The worker that runs the caller, from 0.
#[must_use]
pub fn worker_index() -> usize {
    // SAFETY: any thread may call it.
    unsafe { sys::myr_worker_index() as usize }
}
