//! Cases that were skipped because they are unusable, as tests that errored: CI must show them.

use std::borrow::Cow;
use std::io::{self, Write};

use agentv_core::{RanFile, SkippedCase};
use quick_xml::Writer;

use super::xml;
use crate::figures::counted;
use crate::text::one_line;

/// The skipped cases of an eval file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skipped<'a> {
    file: &'a RanFile,
}

impl Skipped<'_> {
    pub(super) fn of(file: &RanFile) -> Skipped<'_> {
        Skipped { file }
    }

    /// Returns the number of tests: one per known case, and one for all others.
    pub(super) fn tests(self) -> u64 {
        self.file.skipped_cases.len() as u64 + u64::from(self.others() > 0)
    }

    fn others(self) -> u64 {
        let known = self.file.skipped_cases.len() as u64;
        self.file.skipped.saturating_sub(known)
    }

    /// Writes the tests.
    pub(super) fn write(self, xml: &mut Writer<&mut dyn Write>) -> io::Result<()> {
        for case in &self.file.skipped_cases {
            self.write_one(xml, &name(case), &case.message)?;
        }
        if self.others() > 0 {
            let others = counted(self.others(), "skipped case", "skipped cases");
            let message = "skipped because of errors that `agentv validate` lists";
            self.write_one(xml, &others, message)?;
        }
        Ok(())
    }

    fn write_one(
        self,
        xml: &mut Writer<&mut dyn Write>,
        name: &str,
        message: &str,
    ) -> io::Result<()> {
        let case = [
            ("name", Cow::Borrowed(name)),
            ("classname", Cow::Borrowed(&*self.file.path)),
            ("time", Cow::Borrowed("0.000")),
        ];
        xml::start(xml, "testcase", &case)?;
        let error = [
            ("message", Cow::Owned(one_line(message))),
            ("type", Cow::Borrowed("skipped")),
        ];
        xml::text(xml, "error", &error, message)?;
        xml::end(xml, "testcase")
    }
}

fn name(case: &SkippedCase) -> String {
    match (&case.id, case.line) {
        (Some(id), _) => id.clone(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => "a skipped case".to_owned(),
    }
}
