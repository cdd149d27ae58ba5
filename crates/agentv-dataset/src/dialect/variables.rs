//! Environment variables that suites of other dialects may use.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A function that returns the value of a variable, for an eval file in a folder.
type Lookup = dyn Fn(&Path, &str) -> Option<String> + Send + Sync;

/// The environment variables that a suite may use.
#[derive(Clone)]
pub struct Variables(Arc<Lookup>);

impl Variables {
    /// Returns variables that are looked up by this function, which gets the folder of the eval file and
    /// the name of the variable.
    pub fn new(
        lookup: impl Fn(&Path, &str) -> Option<String> + Send + Sync + 'static,
    ) -> Variables {
        Variables(Arc::new(lookup))
    }

    /// Returns the value of a variable, for an eval file in this folder.
    pub fn get(&self, folder: &Path, name: &str) -> Option<String> {
        (self.0)(folder, name)
    }
}

/// No variables at all.
impl Default for Variables {
    fn default() -> Variables {
        Variables::new(|_, _| None)
    }
}

/// Shows nothing of the values.
impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables")
    }
}
