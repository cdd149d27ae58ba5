//! The inputs of the fuzz targets, run as ordinary tests.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Calls `target` with every file in `fuzz/seeds/NAME` and `fuzz/corpus/NAME`.
///
/// # Panics
/// Panics if it panics for any of them, with their names, or if there are none.
#[track_caller]
pub fn each_seed(name: &str, target: impl Fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let files = ["seeds", "corpus"].map(|kind| fs::read_dir(fuzz.join(kind).join(name)));
    let files = files.into_iter().flatten().flatten().flatten();
    let (mut count, mut failed) = (0, Vec::new());
    for path in files.map(|file| file.path()) {
        let read = fs::read(&path);
        let caught = catch_unwind(AssertUnwindSafe(|| match read {
            Ok(seed) => target(&seed),
            Err(error) => panic!("{error}"),
        }));
        failed.extend(caught.is_err().then_some(path));
        count += 1;
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(count > 10, "{count} seeds of {name}");
}
