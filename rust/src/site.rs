// SPDX-License-Identifier: Apache-2.0
//
// Places of calls, for messages and reports of the library.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::panic::Location;

use crate::sys::Site;

thread_local! {
    // By the address of the location, a constant of the program for each call.
    static SITES: RefCell<HashMap<usize, *const Site>> = RefCell::new(HashMap::new());
}

fn make(location: &Location<'_>) -> *const Site {
    let file = CString::new(location.file()).unwrap_or_default();
    Box::leak(Box::new(Site {
        file: Box::leak(file.into_boxed_c_str()).as_ptr(),
        function: b"\0".as_ptr().cast(),
        line: location.line(),
        column: location.column(),
    }))
}

/// The site of a location; never freed. One thread makes one for each of its calls.
pub fn site_of(location: &'static Location<'static>) -> *const Site {
    let key = location as *const Location<'_> as usize;
    SITES
        .try_with(|sites| *sites.borrow_mut().entry(key).or_insert_with(|| make(location)))
        .unwrap_or(std::ptr::null()) // the thread is about to end
}
