//! Diagnostics as JSON objects, for editors and scripts.

use agentv_core::visible;
use agentv_syntax::Diagnostic;

pub(super) fn render(diagnostic: &Diagnostic) -> String {
    visible(&diagnostic.to_json().to_string()).into_owned()
}
