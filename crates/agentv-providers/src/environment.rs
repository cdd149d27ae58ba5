//! The environment that targets take values from.

use std::collections::HashMap;
use std::sync::Arc;

/// The environment of a run: the variables of the process.
#[derive(Clone, Default)]
pub struct Environment {
    variables: Arc<HashMap<String, String>>,
}

impl Environment {
    /// The variables of this process; one that is not text is left out.
    pub fn of_process() -> Environment {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Environment::new(std::env::vars_os().filter_map(text))
    }

    /// These variables.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Environment {
        Environment {
            variables: Arc::new(variables.into_iter().collect()),
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }
}
