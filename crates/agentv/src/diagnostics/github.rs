//! GitHub workflow commands, which annotate the lines of a pull request.

use agentv_core::visible;
use agentv_syntax::{Diagnostic, Severity};

pub(super) fn render(diagnostic: &Diagnostic) -> String {
    let command = match diagnostic.severity() {
        Severity::Warning => "warning",
        Severity::Error | Severity::Fatal => "error",
    };
    let mut properties = vec![format!("file={}", property(&from_root(&diagnostic.file)))];
    properties.extend(diagnostic.line.map(|line| format!("line={line}")));
    properties.extend(diagnostic.column.map(|column| format!("col={column}")));
    properties.push(format!("title={}", diagnostic.code()));
    let mut message = diagnostic.to_string();
    if let Some(hint) = &diagnostic.problem.hint {
        message.push_str(" (");
        message.push_str(hint);
        message.push(')');
    }
    format!("::{command} {}::{}", properties.join(","), data(&message))
}

/// Returns a path from the root of its repository, where GitHub looks for it, whatever the working directory
/// is. Outside of a repository, it stays as it is.
fn from_root(file: &str) -> String {
    let Ok(path) = std::fs::canonicalize(file) else {
        return file.to_owned();
    };
    let mut folders = path.ancestors().skip(1);
    let root = folders.find(|folder| folder.join(".git").exists());
    match root.and_then(|root| path.strip_prefix(root).ok()) {
        Some(path) => path
            .to_string_lossy()
            .replace(std::path::MAIN_SEPARATOR, "/"),
        None => file.to_owned(),
    }
}

fn data(text: &str) -> String {
    // CI logs are read in terminals, too.
    visible(&text.replace('\r', "\n"))
        .replace('%', "%25")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
