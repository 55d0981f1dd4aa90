// SPDX-License-Identifier: Apache-2.0
//
// Panics on their way from a task to a wait: exceptions of the library, whose objects are boxes of
// what the panic carries.

use std::any::Any;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::{c_char, c_void};

use crate::sys::{self, Exception, ExceptionKind};

type Payload = Box<dyn Any + Send>;

/// A task has panicked: among several, the one that the serial program would have met first.
pub struct TaskPanic {
    payload: Payload,
}

impl TaskPanic {
    /// What the panic carries.
    #[must_use]
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.payload
    }

    /// Goes on with the panic here.
    pub fn resume(self) -> ! {
        std::panic::resume_unwind(self.payload)
    }

    fn text(&self) -> &str {
        text_of(&self.payload)
    }
}

impl fmt::Display for TaskPanic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a task has panicked: {}", self.text())
    }
}
impl fmt::Debug for TaskPanic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
impl std::error::Error for TaskPanic {}

fn text_of(payload: &Payload) -> &str {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "with what is no text"
    }
}

fn copy(text: &str, to: *mut c_char, bytes: usize) {
    if bytes == 0 {
        return;
    }
    let count = text.len().min(bytes - 1);
    // SAFETY: the library's buffer has so many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), count);
        *to.add(count) = 0;
    }
}

unsafe extern "C" fn destroy(object: *mut c_void) {
    drop(Box::from_raw(object.cast::<Payload>()));
}

// Code in C++ waits for a task of ours: a panic cannot go through it.
unsafe extern "C" fn rethrow(object: *mut c_void) {
    let payload = Box::from_raw(object.cast::<Payload>());
    eprintln!("myrmidon: error: a task has panicked: {}", text_of(&payload));
    std::process::exit(sys::EXIT_MISUSE);
}

unsafe extern "C" fn describe(object: *mut c_void, text: *mut c_char, bytes: usize) {
    copy(text_of(&*object.cast::<Payload>()), text, bytes);
}

unsafe extern "C" fn name(
    object: *mut c_void,
    kind: *mut c_char,
    kind_bytes: usize,
    what: *mut c_char,
    what_bytes: usize,
) {
    copy("panic", kind, kind_bytes);
    describe(object, what, what_bytes);
}

unsafe extern "C" fn revive(_kind: *const c_char, what: *const c_char) -> *mut c_void {
    let payload: Payload = Box::new(CStr::from_ptr(what).to_string_lossy().into_owned());
    Box::into_raw(Box::new(payload)).cast()
}

static KIND: ExceptionKind = ExceptionKind {
    size: std::mem::size_of::<ExceptionKind>(),
    destroy,
    rethrow,
    describe,
    name,
    revive,
};

/// The running task has panicked; it is about to return.
pub fn report(payload: Payload) {
    let object = Box::into_raw(Box::new(payload)).cast();
    // SAFETY: called by a task; the object is one of the kind.
    unsafe { sys::myr_task_failed(Exception { object, kind: &KIND }) }
}

/// Behind a wait for all tasks of the caller.
pub fn take() -> Result<(), TaskPanic> {
    // SAFETY: what is returned is ours from now on.
    let failure = unsafe { sys::myr_take_failure() };
    if failure.object.is_null() {
        return Ok(());
    }
    if std::ptr::eq(failure.kind, &KIND) {
        // SAFETY: the object is one of the kind.
        let payload = *unsafe { Box::from_raw(failure.object.cast::<Payload>()) };
        return Err(TaskPanic { payload });
    }
    let mut text = [0; 512];
    // SAFETY: another language's exception comes with functions of its own.
    let said = unsafe {
        ((*failure.kind).describe)(failure.object, text.as_mut_ptr(), text.len());
        ((*failure.kind).destroy)(failure.object);
        CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
    };
    Err(TaskPanic { payload: Box::new(said) })
}
