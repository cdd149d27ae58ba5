//! The results of one eval file.

use std::borrow::Cow;
use std::io::{self, Write};

use agentv_core::{ResultRecord, Status};
use quick_xml::Writer;

use super::xml::{self, Attribute};
use crate::summary::{GroupFold, LatencyFold};

/// The totals of the trials of a file, and the offsets of their records.
#[derive(Debug, Default)]
pub(super) struct Suite {
    figures: GroupFold,
    milliseconds: f64,
    /// The times until the first token.
    first_token: Option<LatencyFold>,
    /// The end of the first trial.
    timestamp: Option<String>,
    /// The number of results that are out of date.
    outdated: u64,
    places: Vec<u64>,
}

impl Suite {
    pub(super) fn add(&mut self, record: &ResultRecord, offset: u64) {
        self.figures.add(record);
        self.milliseconds += milliseconds(record);
        let first = record.timing.first_token_ms.filter(|time| *time >= 0.0);
        if let Some(first) = first.filter(|_| record.status != Status::Error) {
            self.first_token.get_or_insert_default().add(first);
        }
        self.outdated += u64::from(record.outdated.is_some());
        if self
            .timestamp
            .as_ref()
            .is_none_or(|first| record.timestamp < *first)
        {
            self.timestamp = Some(record.timestamp.clone());
        }
        self.places.push(offset);
    }

    /// Adds the counts of another suite, without its offsets.
    pub(super) fn join(&mut self, other: &Suite) {
        self.figures.statuses.join(&other.figures.statuses);
        self.milliseconds += other.milliseconds;
        self.outdated += other.outdated;
    }

    /// Adds errors that have no record.
    pub(super) fn add_errors(&mut self, errors: u64) {
        self.figures.statuses.error += errors;
    }

    /// Returns the number of trials.
    pub(super) fn trials(&self) -> u64 {
        self.figures.statuses.total()
    }

    /// Returns the number of results that are out of date.
    pub(super) fn outdated(&self) -> u64 {
        self.outdated
    }

    /// Returns the offsets of the records, in file order.
    pub(super) fn places(&self) -> &[u64] {
        &self.places
    }

    /// Returns the attributes of a suite, or of all suites.
    pub(super) fn attributes<'a>(&self, name: &'a str) -> Vec<Attribute<'a>> {
        let statuses = &self.figures.statuses;
        let failures = statuses.fail + statuses.borderline;
        vec![
            ("name", Cow::Borrowed(name)),
            ("tests", Cow::Owned(statuses.total().to_string())),
            ("failures", Cow::Owned(failures.to_string())),
            ("errors", Cow::Owned(statuses.error.to_string())),
            ("time", Cow::Owned(seconds(self.milliseconds))),
        ]
    }

    /// Writes the part before the trials.
    pub(super) fn start(
        &self,
        xml: &mut Writer<&mut dyn Write>,
        file: &str,
        run: &str,
    ) -> io::Result<()> {
        let statuses = &self.figures.statuses;
        let mut attributes = self.attributes(file);
        attributes.push(("skipped", Cow::Owned(statuses.ungraded.to_string())));
        if let Some(timestamp) = &self.timestamp {
            attributes.push(("timestamp", Cow::Borrowed(timestamp)));
        }
        xml::start(xml, "testsuite", &attributes)?;
        xml::start(xml, "properties", &[])?;
        property(xml, "run", run)?;
        let costs = self.figures.costs();
        let first_token = self.first_token.as_ref().and_then(LatencyFold::finish);
        let first_token = first_token.as_ref();
        // The folds are exact to a percent.
        let rounded = |milliseconds: f64| (milliseconds * 10.0).round() / 10.0;
        for (name, figure) in [
            ("pass_rate", statuses.pass_rate()),
            ("mean_score", self.figures.mean_score()),
            ("cost_usd", costs.cost_usd),
            ("judge_cost_usd", costs.judge_cost_usd),
            (
                "first_token_ms_median",
                first_token.map(|time| rounded(time.median_ms)),
            ),
            (
                "first_token_ms_p95",
                first_token.map(|time| rounded(time.p95_ms)),
            ),
        ] {
            if let Some(figure) = figure {
                property(xml, name, &figure.to_string())?;
            }
        }
        for (name, targets) in [
            ("unpriced", &costs.unpriced),
            ("unpriced_judges", &costs.unpriced_judges),
            ("graded_own_answers", &self.figures.self_judged()),
        ] {
            if !targets.is_empty() {
                property(xml, name, &targets.join(", "))?;
            }
        }
        property(xml, "borderline", &statuses.borderline.to_string())?;
        xml::end(xml, "properties")
    }
}

pub(super) fn property(
    xml: &mut Writer<&mut dyn Write>,
    name: &str,
    value: &str,
) -> io::Result<()> {
    let attributes = [
        ("name", Cow::Borrowed(name)),
        ("value", Cow::Borrowed(value)),
    ];
    xml::empty(xml, "property", &attributes)
}

/// Returns the duration of a trial's call; 0 if it was not measured.
pub(super) fn milliseconds(record: &ResultRecord) -> f64 {
    let measured = record.timing.total_ms.filter(|time| time.is_finite());
    measured.unwrap_or(0.0).max(0.0)
}

/// Returns a time in the format of JUnit: some readers refuse more than three decimals.
pub(super) fn seconds(milliseconds: f64) -> String {
    format!("{:.3}", milliseconds / 1e3)
}
