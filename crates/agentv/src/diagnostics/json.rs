//! One JSON object a diagnostic, for editors and scripts.

use agentv_syntax::Diagnostic;

pub(super) fn render(diagnostic: &Diagnostic) -> String {
    diagnostic.to_json().to_string()
}
