//! Warnings about answers that are graded as recorded and not by today's files.

use std::path::PathBuf;

use agentv_runner::RegradePreview;

use crate::counted::counted;
use crate::notices::Notices;
use crate::project::Project;

/// Warns about answers that are not graded by today's cases, since a user who edited a case expects that.
/// `usable` are the indexes of the eval files that can be used.
pub(super) fn warn_of_recorded_grades(
    project: &Project,
    preview: &RegradePreview,
    missing: &[PathBuf],
    usable: &[usize],
    notices: &mut dyn Notices,
) {
    for path in missing {
        let shown = project.shown(path);
        notices.warn(format!(
            "`{}` not found: its cases are graded as recorded",
            shown.display()
        ));
    }
    let changed: u64 = preview.changed.iter().sum();
    if changed > 0 {
        let have = if changed == 1 { "has" } else { "have" };
        let cases = counted(changed, "case");
        notices.warn(format!(
            "{cases} {have} a different input now: graded as recorded"
        ));
    }
    // A file that cannot be used at all has its own warning.
    let gone = preview.gone.iter().enumerate();
    let gone = gone.filter(|(index, _)| usable.contains(index));
    let gone: u64 = gone.map(|(_, gone)| gone).sum();
    if gone > 0 {
        let are_gone = match gone {
            1 => "is invalid or no longer in its eval file",
            _ => "are invalid or no longer in their eval files",
        };
        let cases = counted(gone, "case");
        notices.warn(format!("{cases} {are_gone}: graded as recorded"));
    }
}
