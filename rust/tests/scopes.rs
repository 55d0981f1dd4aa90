// SPDX-License-Identifier: Apache-2.0

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use myrmidon::{reads, scope, writes};

#[test]
fn tasks_run_in_the_order_of_their_data() {
    let mut order = Vec::new();
    scope(|s| {
        let order = s.lend(&mut order);
        for i in 0..1000 {
            s.task((writes(&order),)).run(move |order| order.push(i));
        }
    });
    assert!(order.iter().copied().eq(0..1000));
}

#[test]
fn readers_and_writers() {
    for _ in 0..100 {
        let result = scope(|s| {
            let (a, b) = (s.data(1u64), s.data(1u64));
            for _ in 0..20 {
                s.task((reads(&a), writes(&b))).run(|a, b| *b += *a);
                s.task((writes(&a), reads(&b))).run(|a, b| *a = a.wrapping_add(*b));
            }
            let between = *a.read();
            s.task((writes(&a),)).run(move |a| *a -= between);
            assert_eq!(*a.read(), 0);
            *a.write() = 5;
            s.task((writes(&b), reads(&a))).run(|b, a| *b *= *a);
            b.take()
        });
        // The serial program.
        let (mut a, mut b) = (1u64, 1u64);
        for _ in 0..20 {
            b += a;
            a = a.wrapping_add(b);
        }
        assert_eq!(result, b * 5);
    }
}

#[test]
fn parts_of_a_slice() {
    let mut numbers = vec![0usize; 1000];
    scope(|s| {
        let numbers = s.lend(&mut numbers[..]);
        for _ in 0..3 {
            for part in 0..10 {
                s.task((writes(&numbers.part(100 * part..100 * (part + 1))),))
                    .run(move |part_of| part_of.iter_mut().for_each(|x| *x += part));
            }
        }
        s.task((reads(&numbers.part(0..500)), writes(&numbers.part(500..1000))))
            .run(|left, right| right[0] += left.iter().sum::<usize>());
        assert_eq!(numbers.part(0..1).read()[0], 0);
        assert_eq!(numbers.part(500..501).read()[0], 15 + 3000);
        assert!(numbers.part(0..0).write().is_empty());
        s.task((writes(&numbers.part(7..7)), writes(&numbers.part(7..8))))
            .run(|a, _| assert!(a.is_empty()));
    });
    assert_eq!(numbers[999], 27);
}

#[test]
fn more_arguments() {
    scope(|s| {
        let all: Vec<_> = (0..5).map(|i| s.data(i)).collect();
        s.task((reads(&all[0]), writes(&all[1]), reads(&all[2]), writes(&all[3]), reads(&all[4])))
            .run(|a, b, c, d, e| {
                *b += a + c;
                *d += c + e;
            });
        assert_eq!((*all[1].read(), *all[3].read()), (3, 9));
        let text = s.own("abc".to_owned().into_boxed_str());
        s.task((writes(&text),)).run(|text| text.make_ascii_uppercase());
        assert_eq!(&*text.read(), "ABC");
        s.task(()).run(|| ());
    });
}

#[test]
fn tasks_in_tasks() {
    fn sort(numbers: &mut [u32]) {
        if numbers.len() < 16 {
            return numbers.sort_unstable();
        }
        let middle = numbers.len() / 2;
        numbers.select_nth_unstable(middle);
        let (left, right) = numbers.split_at_mut(middle);
        scope(|s| {
            let (left, right) = (s.lend(left), s.lend(right));
            s.task((writes(&left),)).run(sort);
            s.task((writes(&right),)).run(sort);
        });
    }
    let mut numbers: Vec<u32> = (0..5000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let mut expected = numbers.clone();
    expected.sort_unstable();
    sort(&mut numbers);
    assert_eq!(numbers, expected);
}

#[test]
fn data_are_freed_behind_the_tasks_that_use_them() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let freed = Arc::new(AtomicUsize::new(0));
    scope(|s| {
        for _ in 0..100 {
            let data = s.data(Counted(freed.clone()));
            let shared = &freed;
            s.task((reads(&data),)).run(move |of| assert!(Arc::ptr_eq(&of.0, shared)));
        }
        drop(s.data(Counted(freed.clone())).take());
    });
    assert_eq!(freed.load(Ordering::Relaxed), 101);
}

#[test]
fn values_without_bytes_have_an_order() {
    let log = std::sync::Mutex::new(Vec::new());
    scope(|s| {
        let (token, other) = (s.data(()), s.data(()));
        for i in 0..100 {
            let log = &log;
            s.task((writes(&token), reads(&other))).run(move |(), ()| log.lock().unwrap().push(i));
        }
    });
    assert!(log.into_inner().unwrap().iter().copied().eq(0..100));
}

#[test]
fn the_first_panic_comes_out_of_the_wait() {
    scope(|s| {
        let done = s.data(0);
        for i in 0..10 {
            s.task((writes(&done),)).run(move |done| {
                *done += 1;
                assert!(i % 4 != 3, "number {i}");
            });
        }
        let error = s.wait().unwrap_err();
        assert_eq!(error.to_string(), "a task has panicked: number 3");
        assert_eq!(*done.read(), 10);
        s.wait().unwrap();
    });
    let result = catch_unwind(|| scope(|s| s.task(()).run(|| panic!("of the scope"))));
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&"of the scope"));
    let result = catch_unwind(|| scope(|s| s.task(()).run(|| std::panic::panic_any(7))));
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&7));
}

#[test]
fn a_scope_that_panics_waits_for_its_tasks() {
    let mut x = 0;
    let result = catch_unwind(AssertUnwindSafe(|| {
        scope(|s| {
            let x = s.lend(&mut x);
            s.task((writes(&x),)).run(|x| *x = 5);
            panic!("on the way");
        })
    }));
    assert!(result.is_err());
    assert_eq!(x, 5);
}

fn refused(f: impl FnOnce(), text: &str) {
    let payload = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    let said = payload
        .downcast_ref::<String>()
        .map_or_else(|| (*payload.downcast_ref::<&str>().unwrap()).to_owned(), Clone::clone);
    assert!(said.contains(text), "{said}");
}

#[test]
fn what_would_alias_is_refused() {
    scope(|s| {
        let (a, b) = (s.data(1), s.own(vec![1, 2, 3].into_boxed_slice()));
        refused(|| s.task((reads(&a), writes(&a))).run(|_, _| ()), "overlaps");
        refused(
            || s.task((writes(&b.part(0..2)), reads(&b.part(1..3)))).run(|_, _| ()),
            "overlaps",
        );
        s.task((reads(&a), reads(&a))).run(|x, y| assert_eq!(x, y));
        {
            let guard = a.read();
            s.task((reads(&a),)).run(|_| ());
            refused(|| s.task((writes(&a),)).run(|_| ()), "in use by its spawner");
            refused(|| drop(a.write()), "is alive");
            assert_eq!(*guard, *a.read());
        }
        let guard = b.part(0..1).write();
        refused(|| s.task((reads(&b),)).run(|_| ()), "in use");
        s.task((writes(&b.part(1..3)),)).run(|_| ());
        drop(guard);
        refused(|| drop(b.part(2..4)), "of 3 elements");
        refused(|| drop(s.own(vec![(); 3].into_boxed_slice()).part(0..1)), "without bytes");
    });
    let mut lent = 1;
    scope(|s| refused(|| assert_eq!(s.lend(&mut lent).take(), 1), "lent"));
}

#[test]
fn scopes_of_one_owner_see_each_others_guards() {
    scope(|outer| {
        let a = outer.data(1);
        scope(|inner| {
            let b = inner.data(1);
            outer.task((writes(&a), writes(&b))).run(|a, b| *a += *b);
            inner.task((writes(&a), writes(&b))).run(|a, b| *b += *a);
            let guards = (a.write(), b.write());
            refused(|| inner.task((reads(&a),)).run(|_| ()), "in use");
            refused(|| outer.task((reads(&b),)).run(|_| ()), "in use");
            assert_eq!((*guards.0, *guards.1), (2, 3));
        });
    });
}

#[test]
fn values_that_are_aligned_more_than_closures() {
    #[repr(align(128))]
    #[derive(Clone, Copy)]
    struct Wide(u8);
    scope(|s| {
        let data = s.data(Wide(3));
        let captured = Wide(4);
        s.task((writes(&data),)).run(move |data| {
            assert_eq!(std::ptr::addr_of!(captured) as usize % 128, 0);
            data.0 += captured.0;
        });
        assert_eq!(data.read().0, 7);
    });
}

#[test]
fn threads_have_scopes_of_their_own() {
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let mut x = 0u64;
                scope(|s| {
                    let x = s.lend(&mut x);
                    (0..500).for_each(|i| s.task((writes(&x),)).run(move |x| *x += i));
                });
                assert_eq!(x, 124_750);
            });
        }
    });
    assert!(myrmidon::worker_count() > myrmidon::worker_index());
}
