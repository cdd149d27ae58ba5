//! Trials that were not run, as a test that errored, so that an incomplete run is not green.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::Writer;

use super::suite::{Suite, property};
use super::xml;
use crate::figures::{count, counted};
use crate::results::RunResults;

/// The name of the suite and of the class, which no eval file can have.
const NAME: &str = "agentv";

/// A run that has fewer trials than planned.
#[derive(Debug)]
pub(super) struct Incomplete<'a> {
    run: &'a str,
    not_run: u64,
    planned: u64,
}

impl Incomplete<'_> {
    /// Returns the missing trials of a run that has this many; `None` if it is complete.
    pub(super) fn of(run: &RunResults, trials: u64) -> Option<Incomplete<'_>> {
        let not_run = run.not_run(trials);
        (not_run > 0).then(|| Incomplete {
            run: run.name(),
            not_run,
            planned: not_run + trials,
        })
    }

    /// Writes it as a suite with one test.
    pub(super) fn write(&self, xml: &mut Writer<&mut dyn Write>) -> io::Result<()> {
        let mut suite = Suite::default();
        suite.add_errors(1);
        xml::start(xml, "testsuite", &suite.attributes(NAME))?;
        xml::start(xml, "properties", &[])?;
        property(xml, "run", self.run)?;
        property(xml, "trials_not_run", &self.not_run.to_string())?;
        xml::end(xml, "properties")?;
        let sentence = self.sentence();
        let case = [
            ("name", Cow::Borrowed(&*sentence)),
            ("classname", Cow::Borrowed(NAME)),
            ("time", Cow::Borrowed("0.000")),
        ];
        xml::start(xml, "testcase", &case)?;
        let error = [
            ("message", Cow::Borrowed(&*sentence)),
            ("type", Cow::Borrowed("incomplete")),
        ];
        xml::text(xml, "error", &error, &sentence)?;
        xml::end(xml, "testcase")?;
        xml::end(xml, "testsuite")
    }

    fn sentence(&self) -> String {
        let of = counted(self.planned, "trial", "trials");
        let verb = if self.not_run == 1 { "was" } else { "were" };
        format!("{} of {of} {verb} not run", count(self.not_run))
    }
}
