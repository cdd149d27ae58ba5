//! A real browser, for tests of pages.
//!
//! A [`Browser`] is a headless Chromium with its own profile. A [`Page`] is one of its tabs: tests read its
//! content and do what a person does.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod chromium;
mod devtools;
mod page;
mod suite;

pub use chromium::Browser;
pub use page::Page;
pub use suite::{BrowserTest, run_tests};
