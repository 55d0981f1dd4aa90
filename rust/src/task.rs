// SPDX-License-Identifier: Apache-2.0
//
// Tasks: what they declare, and what their functions get for it. run() is written once for each
// combination of accesses, so that the compiler knows the types of the function's arguments.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::panic::{catch_unwind, AssertUnwindSafe, Location};

use crate::failure;
use crate::scope::{Data, Held, Part};
use crate::site::site_of;
use crate::sys::{self, Access, TwoBodies};

/// Bytes that stand for a value, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place {
    first: *const u8,
    bytes: usize,
}

impl Place {
    pub(crate) fn new(first: *const u8, bytes: usize) -> Place {
        Place { first, bytes }
    }
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }
    pub(crate) fn overlaps(self, other: Place) -> bool {
        let (a, b) = (self.first as usize, other.first as usize);
        self.bytes != 0 && other.bytes != 0 && a < b + other.bytes && b < a + self.bytes
    }
    pub(crate) fn access(self, writes: bool) -> Access {
        Access::new(self.first, self.bytes, if writes { sys::INOUT } else { sys::IN })
    }
}

/// A task reads data: its function gets `&T`.
pub struct In<'data, T: ?Sized> {
    value: *mut T,
    place: Place,
    held: &'data Held,         // of the data's scope, which need not be the task's
    of: PhantomData<&'data T>, // which is not dropped before the task is spawned
}
/// A task reads and writes data: its function gets `&mut T`.
pub struct InOut<'data, T: ?Sized> {
    value: *mut T,
    place: Place,
    held: &'data Held, // of the data's scope, which need not be the task's
    of: PhantomData<&'data mut T>,
}

mod sealed {
    pub trait Sealed {}

    /// What is declared may be used by another thread, in this way.
    pub trait Usable {}
    impl<T: ?Sized + Sync> Usable for super::In<'_, T> {}
    impl<T: ?Sized + Send> Usable for super::InOut<'_, T> {}
}
use sealed::Usable;

/// What a task can declare: [`Data`], and parts of slices.
pub trait Declared: sealed::Sealed {
    /// What its function gets a reference to.
    type Value: ?Sized;
    #[doc(hidden)]
    fn parts(&self) -> (*mut Self::Value, Place, &Held);
}

impl<T: ?Sized + Send> sealed::Sealed for Data<'_, '_, T> {}
impl<T: Send> sealed::Sealed for Part<'_, '_, '_, T> {}

impl<T: ?Sized + Send> Declared for Data<'_, '_, T> {
    type Value = T;
    fn parts(&self) -> (*mut T, Place, &Held) {
        self.use_of()
    }
}
impl<T: Send> Declared for Part<'_, '_, '_, T> {
    type Value = [T];
    fn parts(&self) -> (*mut [T], Place, &Held) {
        self.use_of()
    }
}

/// The task reads this: its function gets `&T`.
pub fn reads<D: Declared>(data: &D) -> In<'_, D::Value> {
    let (value, place, held) = data.parts();
    In { value, place, held, of: PhantomData }
}
/// The task reads and writes this: its function gets `&mut T`.
pub fn writes<D: Declared>(data: &D) -> InOut<'_, D::Value> {
    let (value, place, held) = data.parts();
    InOut { value, place, held, of: PhantomData }
}

/// What a closure has of an argument, on another thread.
struct Sent<P>(P);
// SAFETY: run() asks that what the pointer leads to may be used there.
unsafe impl<P> Send for Sent<P> {}

/// A task that has its footprint, and wants a function: see [`run`](Task::run).
#[must_use = "a task runs when its function is given, by run()"]
pub struct Task<'scope, A> {
    footprint: A,
    location: &'static Location<'static>,
    // Exactly that lifetime: with a shorter one, the function could borrow what ends before.
    scope: PhantomData<&'scope mut &'scope ()>,
}

/// What a task uses, whether it writes it, and what the owner of the scope is using.
type Use<'data> = (Place, bool, &'data Held);

#[track_caller]
fn check(uses: &[Use<'_>]) {
    for (index, (place, writes, held)) in uses.iter().enumerate() {
        let is_free = !held.conflicts(*place, *writes);
        assert!(is_free, "argument {} of the task is in use by its spawner", index + 1);
        let twice = uses[..index]
            .iter()
            .any(|(other, is_written, _)| (*writes || *is_written) && other.overlaps(*place));
        assert!(!twice, "argument {} of the task overlaps another one", index + 1);
    }
}

impl<'scope, A> Task<'scope, A> {
    pub(crate) fn new(footprint: A, location: &'static Location<'static>) -> Self {
        Task { footprint, location, scope: PhantomData }
    }

    fn spawn<F: FnOnce() + Send + 'scope>(&self, uses: &[(Place, bool)], function: F) {
        let site = site_of(self.location);
        // SAFETY: the draft is complete.
        let hand_over = |draft, body| unsafe { sys::myr_submit_at(draft, body, site) };
        if align_of::<F>() > 16 {
            let boxed: Box<dyn FnOnce() + Send + 'scope> = Box::new(function);
            submit(uses, boxed, hand_over, site);
        } else {
            submit(uses, function, hand_over, site);
        }
    }
}

fn submit<F: FnOnce()>(
    uses: &[(Place, bool)],
    function: F,
    hand_over: impl FnOnce(sys::Draft, sys::Body),
    site: *const sys::Site,
) {
    let count = uses.iter().filter(|(place, _)| place.bytes != 0).count();
    // SAFETY: the draft has room for the function, aligned to 16 bytes, and for so many accesses,
    // all of which are set. The function may be moved there, and is called or dropped once. What it
    // uses outlives it: a scope waits for its tasks.
    unsafe {
        let draft = sys::myr_draft_new_at(size_of::<F>().max(1), count, site);
        let declared = uses.iter().filter(|(place, _)| place.bytes != 0);
        for (index, (place, writes)) in declared.enumerate() {
            draft.accesses.add(index).write(place.access(*writes));
        }
        draft.closure.cast::<F>().write(function);
        sys::myr_draft_keep_here(draft);
        hand_over(draft, body::<F>);
    }
}

unsafe extern "C" fn body<F: FnOnce()>(closure: *mut c_void, accesses: *const Access) {
    let function = closure.cast::<F>().read();
    let is_cancelled = accesses as usize == sys::CANCELLED;
    let call = move || {
        if is_cancelled {
            drop(function);
        } else {
            function();
        }
    };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
        failure::report(payload);
    }
}

/// Drops a value behind the tasks that use the place; no task runs meanwhile.
#[track_caller]
pub(crate) fn free_later<T: ?Sized + Send>(value: Box<T>, key: Option<Box<u8>>, place: Place) {
    let site = site_of(Location::caller());
    let function = move || {
        drop(value);
        drop(key);
    };
    let later = |draft, body| {
        let bodies = TwoBodies {
            size: size_of::<TwoBodies>(),
            whole: Some(body),
            first: None,
            second: None,
        };
        // A constant of the program is asked for; there are as many as there are types of values.
        let bodies = constant(bodies);
        // SAFETY: the draft is complete.
        unsafe { sys::myr_submit_later_at(draft, bodies, 0, site) }
    };
    submit(&[(place, true)], function, later, site);
}

fn constant(bodies: TwoBodies) -> *const TwoBodies {
    use std::cell::RefCell;
    use std::collections::HashMap;
    thread_local! {
        static KNOWN: RefCell<HashMap<usize, &'static TwoBodies>> = RefCell::new(HashMap::new());
    }
    let key = bodies.whole.map_or(0, |body| body as usize);
    KNOWN
        .with(|known| *known.borrow_mut().entry(key).or_insert_with(|| Box::leak(Box::new(bodies))))
}

// For each list of accesses: `r` reads, `w` reads and writes.
macro_rules! combine {
    // All letters are there: the method.
    (done [$($name:ident $kind:ident)*]) => {
        impl<'scope, 'data, $($name: ?Sized + 'scope),*>
            Task<'scope, ($(combine!(type $kind $name),)*)>
        {
            /// Spawns the task: the function runs after all earlier tasks that it depends on, with
            /// references to what the task declares, in this order.
            ///
            /// # Panics
            /// Two of the arguments overlap, or the caller has a guard of one in use.
            #[track_caller]
            #[allow(non_snake_case)]
            pub fn run<Function>(self, function: Function)
            where
                Function: for<'task> FnOnce($(combine!(reference $kind $name)),*) + Send + 'scope,
                $(combine!(type $kind $name): Usable),*
            {
                let ($($name,)*) = &self.footprint;
                check(&[$(($name.place, combine!(writes $kind), $name.held)),*]);
                let uses = [$(($name.place, combine!(writes $kind))),*];
                let pointers = Sent(($($name.value,)*));
                self.spawn(&uses, move || {
                    let pointers = pointers; // all of it, for it is what may be sent
                    let Sent(($($name,)*)) = pointers;
                    // SAFETY: the task has what it declares, as it declares it, until it ends.
                    function($(unsafe { combine!(use $kind $name) }),*)
                });
            }
        }
    };
    (type r $name:ident) => { In<'data, $name> };
    (type w $name:ident) => { InOut<'data, $name> };
    (reference r $name:ident) => { &'task $name };
    (reference w $name:ident) => { &'task mut $name };
    (writes r) => { false };
    (writes w) => { true };
    (use r $name:ident) => { &*$name };
    (use w $name:ident) => { &mut *$name };
    // Another letter, either way; each shorter list is one, too.
    (from [$($done:tt)*]) => { combine!(done [$($done)*]); };
    (from [$($done:tt)*] $next:ident $($rest:ident)*) => {
        combine!(done [$($done)*]);
        combine!(from [$($done)* $next r] $($rest)*);
        combine!(from [$($done)* $next w] $($rest)*);
    };
}
combine!(from [A r] B C D E);
combine!(from [A w] B C D E);

impl<'scope> Task<'scope, ()> {
    /// Spawns a task that declares nothing.
    pub fn run<Function: FnOnce() + Send + 'scope>(self, function: Function) {
        self.spawn(&[], function);
    }
}
