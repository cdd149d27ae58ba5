//! Trials that were not run or are out of date, and gates that are not met, as tests that errored, so that
//! such a run is not green.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::Writer;

use super::suite::{Suite, property};
use super::xml;
use crate::report::shortcomings::{Kind, Shortcoming, shortcomings};
use crate::results::RunResults;

/// The name of the suite and of the class, which no eval file can have.
const NAME: &str = "agentv";

/// A reason why a run is not green.
#[derive(Debug)]
pub(super) struct Incomplete<'a> {
    run: &'a str,
    found: Shortcoming,
}

impl Incomplete<'_> {
    /// Returns the reasons why a run with this many trials is not green, beside the trials that did not pass.
    pub(super) fn of(run: &RunResults, trials: u64, outdated: u64) -> Vec<Incomplete<'_>> {
        let found = shortcomings(run, trials, outdated).into_iter();
        let name = run.name();
        found.map(|found| Incomplete { run: name, found }).collect()
    }

    /// Returns the type of the error, and the name of the property with the number of trials or shards.
    fn names(&self) -> (&'static str, Option<&'static str>) {
        match self.found.kind {
            Kind::NotRun => ("incomplete", Some("trials_not_run")),
            Kind::MissingShards => ("incomplete", Some("shards_missing")),
            Kind::Outdated => ("outdated", Some("trials_out_of_date")),
            Kind::Gate => ("gate", None),
        }
    }

    /// Writes it as a suite with one test.
    pub(super) fn write(&self, xml: &mut Writer<&mut dyn Write>) -> io::Result<()> {
        let mut suite = Suite::default();
        suite.add_errors(1);
        xml::start(xml, "testsuite", &suite.attributes(NAME))?;
        xml::start(xml, "properties", &[])?;
        property(xml, "run", self.run)?;
        let (kind, counted) = self.names();
        if let Some(name) = counted {
            property(xml, name, &self.found.number.to_string())?;
        }
        xml::end(xml, "properties")?;
        let sentence = &*self.found.sentence;
        let case = [
            ("name", Cow::Borrowed(sentence)),
            ("classname", Cow::Borrowed(NAME)),
            ("time", Cow::Borrowed("0.000")),
        ];
        xml::start(xml, "testcase", &case)?;
        let error = [
            ("message", Cow::Borrowed(sentence)),
            ("type", Cow::Borrowed(kind)),
        ];
        xml::text(xml, "error", &error, sentence)?;
        xml::end(xml, "testcase")?;
        xml::end(xml, "testsuite")
    }
}
