//! What is graded by what was recorded rather than by what is written today.

use std::path::PathBuf;

use agentv_runner::RegradePreview;

use crate::output;

/// Warns of everything that is not graded by what its case says today: whoever edited it expects that
/// it is. `usable` are the indexes of the eval files that can be used.
pub(super) fn tell_preview(preview: &RegradePreview, missing: &[PathBuf], usable: &[usize]) {
    for path in missing {
        let shown = output::from_here(path);
        output::warning(&format!(
            "`{}` is not there: its cases are graded as recorded",
            shown.display()
        ));
    }
    let changed: u64 = preview.changed.iter().sum();
    if changed > 0 {
        let have = if changed == 1 { "has" } else { "have" };
        let cases = output::counted(changed, "case");
        output::warning(&format!(
            "{cases} {have} another input today: graded as recorded"
        ));
    }
    // Of a file that cannot be used at all, that was said.
    let gone = preview.gone.iter().enumerate();
    let gone = gone.filter(|(index, _)| usable.contains(index));
    let gone: u64 = gone.map(|(_, gone)| gone).sum();
    if gone > 0 {
        let not_there = match gone {
            1 => "is not in its eval file",
            _ => "are not in their eval files",
        };
        let cases = output::counted(gone, "case");
        output::warning(&format!(
            "{cases} cannot be used or {not_there} today: graded as recorded"
        ));
    }
}
