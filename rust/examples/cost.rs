// SPDX-License-Identifier: Apache-2.0
//
// What a task costs: nanoseconds from its spawn to the end of the wait for all, with functions that
// do next to nothing. The best of five runs.

use std::time::Instant;

use myrmidon::{reads, scope, writes};

const TASKS: usize = 100_000;
const PLACES: usize = 1_000;

fn measure(name: &str, mut run: impl FnMut()) {
    let best = (0..5)
        .map(|_| {
            let begin = Instant::now();
            run();
            begin.elapsed().as_nanos() as usize / TASKS
        })
        .min();
    println!("{name:40} {:6} ns", best.unwrap_or(0));
}

fn main() {
    scope(|s| {
        let all: Vec<_> = (0..PLACES).map(|_| s.data([0u64; 16])).collect();
        let (a, b) = (s.data(1u64), s.data(1u64));
        measure("a value", || {
            for i in 0..TASKS {
                s.task((writes(&all[i % PLACES]),)).run(|x| x[0] += 1);
            }
            s.wait().unwrap();
        });
        measure("a chain of one value", || {
            for _ in 0..TASKS {
                s.task((writes(&all[0]),)).run(|x| x[0] += 1);
            }
            s.wait().unwrap();
        });
        measure("three values and a number", || {
            for i in 0..TASKS {
                s.task((reads(&a), reads(&b), writes(&all[i % PLACES])))
                    .run(move |a, b, x| x[0] += a * b * i as u64);
            }
            s.wait().unwrap();
        });
    });
}
