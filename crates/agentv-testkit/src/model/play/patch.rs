//! Actions in the format of the tool `apply_patch`.

use super::action::Action;

/// Returns the patch that does what the action does.
pub(super) fn of(action: &Action) -> String {
    let change = match action {
        Action::Write { path, content } => {
            let lines = content.lines().map(|line| format!("+{line}\n"));
            format!("*** Add File: {path}\n{}", lines.collect::<String>())
        }
        Action::Edit { path, old, new } => {
            let lines = |sign: char, text: &str| -> String {
                let lines = text.lines().map(|line| format!("{sign}{line}\n"));
                lines.collect()
            };
            let (removed, added) = (lines('-', old), lines('+', new));
            format!("*** Update File: {path}\n@@\n{removed}{added}")
        }
        Action::Shell { .. } | Action::Read { .. } | Action::Tool { .. } => String::new(),
    };
    format!("*** Begin Patch\n{change}*** End Patch")
}
