//! Trials that were not run or are out of date, as tests that errored, so that an incomplete run is not
//! green.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::Writer;

use super::suite::{Suite, property};
use super::xml;
use crate::figures::{count, counted};
use crate::render::outdated_results;
use crate::results::RunResults;

/// The name of the suite and of the class, which no eval file can have.
const NAME: &str = "agentv";

/// Trials that a run lacks, or whose results are of an earlier version.
#[derive(Debug)]
pub(super) struct Incomplete<'a> {
    run: &'a str,
    /// The name of the property with the number of trials.
    property: &'static str,
    kind: &'static str,
    number: u64,
    sentence: String,
}

impl Incomplete<'_> {
    /// Returns the missing trials of a run that has this many, and those that are out of date; nothing if it
    /// is complete and current.
    pub(super) fn of(run: &RunResults, trials: u64, outdated: u64) -> Vec<Incomplete<'_>> {
        let not_run = run.not_run(trials);
        let planned = counted(not_run + trials, "trial", "trials");
        let verb = if not_run == 1 { "was" } else { "were" };
        let all = [
            Incomplete {
                run: run.name(),
                property: "trials_not_run",
                kind: "incomplete",
                number: not_run,
                sentence: format!("{} of {planned} {verb} not run", count(not_run)),
            },
            Incomplete {
                run: run.name(),
                property: "trials_out_of_date",
                kind: "outdated",
                number: outdated,
                sentence: outdated_results(outdated),
            },
        ];
        all.into_iter().filter(|it| it.number > 0).collect()
    }

    /// Writes it as a suite with one test.
    pub(super) fn write(&self, xml: &mut Writer<&mut dyn Write>) -> io::Result<()> {
        let mut suite = Suite::default();
        suite.add_errors(1);
        xml::start(xml, "testsuite", &suite.attributes(NAME))?;
        xml::start(xml, "properties", &[])?;
        property(xml, "run", self.run)?;
        property(xml, self.property, &self.number.to_string())?;
        xml::end(xml, "properties")?;
        let sentence = &*self.sentence;
        let case = [
            ("name", Cow::Borrowed(sentence)),
            ("classname", Cow::Borrowed(NAME)),
            ("time", Cow::Borrowed("0.000")),
        ];
        xml::start(xml, "testcase", &case)?;
        let error = [
            ("message", Cow::Borrowed(sentence)),
            ("type", Cow::Borrowed(self.kind)),
        ];
        xml::text(xml, "error", &error, sentence)?;
        xml::end(xml, "testcase")?;
        xml::end(xml, "testsuite")
    }
}
