// SPDX-License-Identifier: Apache-2.0
//
// Scopes, what belongs to them, and how their owner uses it between tasks.
//
// Invariants
//   1. A scope and its data belong to one task, or to one thread that is none: neither is Send or
//      Sync. So no task can name them, and all spawns on a piece of data happen in one order.
//   2. While `held` has a range, no task that conflicts with it is spawned, and none is unfinished:
//      the guard has waited for these.
//   3. When scope() returns, all tasks of the scope have ended.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::panic::{catch_unwind, AssertUnwindSafe, Location};

use crate::failure::{self, TaskPanic};
use crate::site::site_of;
use crate::sys;
use crate::task::{free_later, Place, Task};

/// What the owner of the scope is using.
#[derive(Default)]
pub struct Held {
    places: RefCell<Vec<(Place, bool)>>, // true: to write
}

impl Held {
    fn hold(&self, place: Place, writes: bool) {
        self.places.borrow_mut().push((place, writes));
    }

    fn let_go(&self, place: Place, writes: bool) {
        let mut places = self.places.borrow_mut();
        let found = places.iter().rposition(|held| *held == (place, writes));
        if let Some(index) = found {
            places.swap_remove(index);
        }
    }

    /// Whether the owner uses the place in a way that this use conflicts with.
    pub(crate) fn conflicts(&self, place: Place, writes: bool) -> bool {
        let places = self.places.borrow();
        places.iter().any(|(other, is_written)| (writes || *is_written) && other.overlaps(place))
    }
}

/// Where tasks are spawned; made by [`scope`].
pub struct Scope<'scope, 'env: 'scope> {
    held: Held,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
    not_send: PhantomData<*mut ()>,
}

/// Calls `f`, in which tasks may be spawned that use what outlives the call, and waits for them.
///
/// # Panics
/// With the panic of `f`, or of a task that no [`Scope::wait`] has returned.
#[track_caller]
pub fn scope<'env, F, R>(f: F) -> R
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
{
    let scope = Scope {
        held: Held::default(),
        scope: PhantomData,
        env: PhantomData,
        not_send: PhantomData,
    };
    let done = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let ended = wait_all(Location::caller());
    match (done, ended) {
        (Err(payload), _) => std::panic::resume_unwind(payload),
        (Ok(_), Err(panic)) => panic.resume(),
        (Ok(result), Ok(())) => result,
    }
}

fn wait_all(location: &'static Location<'static>) -> Result<(), TaskPanic> {
    // SAFETY: any thread may call it.
    unsafe { sys::myr_wait_all_at(site_of(location)) };
    failure::take()
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Makes data of a value, which tasks of this scope may use.
    pub fn data<T: Send + 'scope>(&'scope self, value: T) -> Data<'scope, 'env, T> {
        self.own(Box::new(value))
    }

    /// The same for what is in a box, such as a slice.
    pub fn own<T: ?Sized + Send + 'scope>(&'scope self, value: Box<T>) -> Data<'scope, 'env, T> {
        Data::new(self, Box::into_raw(value), true)
    }

    /// Makes data of what the caller has: only tasks use it until the scope ends.
    pub fn lend<T: ?Sized + Send>(&'scope self, value: &'env mut T) -> Data<'scope, 'env, T> {
        Data::new(self, value, false)
    }

    /// A task of this scope; `footprint` is a tuple of what [`reads`](crate::reads) and
    /// [`writes`](crate::writes) return.
    #[track_caller]
    pub fn task<A>(&'scope self, footprint: A) -> Task<'scope, A> {
        Task::new(footprint, Location::caller())
    }

    /// Waits for all tasks that the caller has spawned, in this scope or around it.
    ///
    /// # Errors
    /// One of them has panicked. The others have run regardless.
    #[track_caller]
    pub fn wait(&'scope self) -> Result<(), TaskPanic> {
        wait_all(Location::caller())
    }
}

/// What tasks of a scope use: a value with all that it owns. Only a task that declares it can
/// reach it, and the owner of the scope behind a wait. Dropped, it is freed behind the tasks that
/// use it.
pub struct Data<'scope, 'env: 'scope, T: ?Sized + Send + 'scope> {
    scope: &'scope Scope<'scope, 'env>,
    value: *mut T,
    place: Place,
    is_owned: bool,
    key: Option<Box<u8>>, // stands for a value without bytes
}

impl<'scope, 'env, T: ?Sized + Send> Data<'scope, 'env, T> {
    fn new(scope: &'scope Scope<'scope, 'env>, value: *mut T, is_owned: bool) -> Self {
        // SAFETY: no task knows the value yet.
        let bytes = std::mem::size_of_val(unsafe { &*value });
        let key = (bytes == 0).then(|| Box::new(0));
        let place = match &key {
            Some(key) => Place::new(&**key, 1),
            None => Place::new(value.cast(), bytes),
        };
        Data { scope, value, place, is_owned, key }
    }

    /// Waits until no task writes the value any more, and lends it to the caller.
    #[track_caller]
    pub fn read(&self) -> Ref<'_, 'scope, 'env, T>
    where
        T: Sync,
    {
        Ref { guard: Guard::new(self.scope, self.place, false), value: self.value, of: PhantomData }
    }

    /// Waits until no task uses the value any more, and lends it to the caller.
    #[track_caller]
    pub fn write(&self) -> RefMut<'_, 'scope, 'env, T> {
        RefMut {
            guard: Guard::new(self.scope, self.place, true),
            value: self.value,
            of: PhantomData,
        }
    }

    pub(crate) fn use_of(&self) -> (*mut T, Place, &Held) {
        (self.value, self.place, &self.scope.held)
    }
}

impl<'scope, 'env, T: Send> Data<'scope, 'env, T> {
    /// Waits until no task uses the value any more, and returns it.
    ///
    /// # Panics
    /// The value is not the scope's own, but lent to it.
    #[track_caller]
    pub fn take(self) -> T {
        assert!(self.is_owned, "take() of a value that is lent to the scope");
        drop(Guard::new(self.scope, self.place, true));
        let mut this = std::mem::ManuallyDrop::new(self);
        this.key = None;
        // SAFETY: the box is ours, nobody uses it, and this is not dropped.
        *unsafe { Box::from_raw(this.value) }
    }
}

impl<'scope, 'env, T: Send> Data<'scope, 'env, [T]> {
    /// Some elements, which tasks may use beside tasks that use others.
    ///
    /// # Panics
    /// The range does not lie inside; or the elements have no bytes, which would tell them apart.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Part<'_, 'scope, 'env, T> {
        let bytes = std::mem::size_of::<T>();
        assert!(bytes != 0, "parts of elements without bytes");
        let first = self.value.cast::<T>();
        let count = self.place.bytes() / bytes * usize::from(self.key.is_none());
        assert!(
            range.start <= range.end && range.end <= count,
            "the part {range:?} of {count} elements"
        );
        let length = range.end - range.start;
        // SAFETY: it lies inside.
        let first = unsafe { first.add(range.start) };
        let value = std::ptr::slice_from_raw_parts_mut(first, length);
        Part { of: self, value, place: Place::new(first.cast(), length * bytes) }
    }
}

impl<T: ?Sized + Send> Drop for Data<'_, '_, T> {
    fn drop(&mut self) {
        if self.is_owned {
            // SAFETY: the value came from a box, and nobody else names it from now on.
            let value = unsafe { Box::from_raw(self.value) };
            free_later(value, self.key.take(), self.place);
        } else if let Some(key) = self.key.take() {
            free_later(key, None, self.place);
        }
    }
}

/// Some elements of a slice that is data.
pub struct Part<'data, 'scope, 'env: 'scope, T: Send + 'scope> {
    of: &'data Data<'scope, 'env, [T]>,
    value: *mut [T],
    place: Place,
}

impl<'data, 'scope, 'env, T: Send> Part<'data, 'scope, 'env, T> {
    /// As [`Data::read`].
    #[track_caller]
    #[must_use]
    pub fn read(&self) -> Ref<'data, 'scope, 'env, [T]>
    where
        T: Sync,
    {
        let guard = Guard::new(self.of.scope, self.place, false);
        Ref { guard, value: self.value, of: PhantomData }
    }

    /// As [`Data::write`].
    #[track_caller]
    #[must_use]
    pub fn write(&self) -> RefMut<'data, 'scope, 'env, [T]> {
        let guard = Guard::new(self.of.scope, self.place, true);
        RefMut { guard, value: self.value, of: PhantomData }
    }

    pub(crate) fn use_of(&self) -> (*mut [T], Place, &Held) {
        (self.value, self.place, &self.of.scope.held)
    }
}

/// As long as it lives, the owner of the scope uses the place.
struct Guard<'scope, 'env: 'scope> {
    scope: &'scope Scope<'scope, 'env>,
    place: Place,
    writes: bool,
}

impl<'scope, 'env> Guard<'scope, 'env> {
    #[track_caller]
    fn new(scope: &'scope Scope<'scope, 'env>, place: Place, writes: bool) -> Self {
        assert!(
            !scope.held.conflicts(place, writes),
            "the data is in use: a guard that read() or write() has returned is alive"
        );
        if place.bytes() != 0 {
            let access = place.access(writes);
            // SAFETY: the scope's owner, which spawns its tasks, waits for them.
            unsafe { sys::myr_wait_at(&access, 1, site_of(Location::caller())) };
        }
        scope.held.hold(place, writes);
        Guard { scope, place, writes }
    }
}

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        self.scope.held.let_go(self.place, self.writes);
    }
}

/// The owner of a scope reads data. While it lives, no task that writes the data can be spawned.
pub struct Ref<'data, 'scope, 'env: 'scope, T: ?Sized> {
    #[allow(dead_code)]
    guard: Guard<'scope, 'env>,
    value: *const T,
    of: PhantomData<&'data T>,
}

impl<T: ?Sized> Deref for Ref<'_, '_, '_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: invariant 2.
        unsafe { &*self.value }
    }
}

/// The owner of a scope changes data. While it lives, no task that uses the data can be spawned.
pub struct RefMut<'data, 'scope, 'env: 'scope, T: ?Sized> {
    #[allow(dead_code)]
    guard: Guard<'scope, 'env>,
    value: *mut T,
    of: PhantomData<&'data mut T>,
}

impl<T: ?Sized> Deref for RefMut<'_, '_, '_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: invariant 2.
        unsafe { &*self.value }
    }
}
impl<T: ?Sized> DerefMut for RefMut<'_, '_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: invariant 2.
        unsafe { &mut *self.value }
    }
}
