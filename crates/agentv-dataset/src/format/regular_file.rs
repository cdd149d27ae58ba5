//! Opens regular files only.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Problem};

/// Returns the diagnostic of a file that could not be opened or read.
pub(crate) fn unreadable(file: &Arc<str>, error: &std::io::Error) -> Diagnostic {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Diagnostic::of_file(file, Problem::fatal(Code::Unreadable, 0..0, message))
}

/// Opens a regular file. Anything else is refused, because reading a pipe could wait forever.
pub(crate) fn open_regular(path: &Path, file: &Arc<str>) -> Result<std::fs::File, Diagnostic> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(file, &error))?;
    if !metadata.is_file() {
        let problem = if metadata.is_dir() {
            Problem::fatal(Code::Unreadable, 0..0, "is a directory, expected a file")
        } else {
            Problem::fatal(Code::Unreadable, 0..0, "this is not a regular file").hint(
                "an eval file is read more than once: save the output of a pipe or device to a file first",
            )
        };
        return Err(Diagnostic::of_file(file, problem));
    }
    std::fs::File::open(path).map_err(|error| unreadable(file, &error))
}
