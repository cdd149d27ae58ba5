//! The languages of checks, and the programs that run them.

/// A language of checks.
pub(crate) struct Runtime {
    /// The name of the language in errors.
    pub(super) noun: &'static str,
    /// The program and its arguments. The last argument, which is not in the list, is `source`.
    pub(super) command: &'static [&'static str],
    /// The program text that reads a request from stdin, runs the user's code and prints its result.
    pub(super) source: &'static str,
    /// True if a threshold also decides an object that the code returns.
    pub(super) limits_objects: bool,
}

pub(crate) static JAVASCRIPT: Runtime = Runtime {
    noun: "JavaScript code",
    command: &["node", "--input-type=commonjs", "-e"],
    source: include_str!("runtime.js"),
    limits_objects: false,
};

pub(crate) static PYTHON: Runtime = Runtime {
    noun: "Python code",
    command: &["python3", "-c"],
    source: include_str!("runtime.py"),
    limits_objects: true,
};
