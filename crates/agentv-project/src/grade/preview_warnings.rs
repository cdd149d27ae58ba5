//! Warnings about answers that are graded as recorded and not by today's files.

use std::path::PathBuf;

use agentv_runner::RegradePreview;

use crate::counted::counted;
use crate::notices::Notices;
use crate::project::Project;

/// Warns about everything that is not graded by what its case says today: a user who edited the case
/// expects that it is. `usable` are the indexes of the eval files that can be used.
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
            "`{}` is not there: its cases are graded as recorded",
            shown.display()
        ));
    }
    let changed: u64 = preview.changed.iter().sum();
    if changed > 0 {
        let have = if changed == 1 { "has" } else { "have" };
        let cases = counted(changed, "case");
        notices.warn(format!(
            "{cases} {have} another input today: graded as recorded"
        ));
    }
    // A file that cannot be used at all has its own warning.
    let gone = preview.gone.iter().enumerate();
    let gone = gone.filter(|(index, _)| usable.contains(index));
    let gone: u64 = gone.map(|(_, gone)| gone).sum();
    if gone > 0 {
        let not_there = match gone {
            1 => "is not in its eval file",
            _ => "are not in their eval files",
        };
        let cases = counted(gone, "case");
        notices.warn(format!(
            "{cases} cannot be used or {not_there} today: graded as recorded"
        ));
    }
}
