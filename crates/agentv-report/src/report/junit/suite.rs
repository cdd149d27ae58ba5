//! The results of one eval file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use agentv_core::{ResultRecord, Status};
use quick_xml::Writer;

use super::xml::{self, Attribute};
use crate::render::different_judges;
use crate::summary::{GroupFold, JudgesFold, LatencyFold};

/// The totals of the trials of a file, and the offsets of their records.
#[derive(Debug, Default)]
pub(super) struct Suite {
    figures: GroupFold,
    /// The figures of each target: those of several are never pooled.
    targets: BTreeMap<Arc<str>, OfTarget>,
    judges: JudgesFold,
    milliseconds: f64,
    /// The end of the first trial.
    timestamp: Option<String>,
    /// The number of results that are out of date.
    outdated: u64,
    places: Vec<u64>,
}

/// The figures of one target.
#[derive(Debug, Default)]
struct OfTarget {
    figures: GroupFold,
    /// The times until the first token.
    first_token: Option<LatencyFold>,
}

impl OfTarget {
    fn add(&mut self, record: &ResultRecord) {
        self.figures.add(record);
        let first = record.timing.first_token_ms.filter(|time| *time >= 0.0);
        if let Some(first) = first.filter(|_| record.status != Status::Error) {
            self.first_token.get_or_insert_default().add(first);
        }
    }

    /// Writes the rates, averages and costs. `target` is empty if the suite has only one.
    fn write(&self, xml: &mut Writer<&mut dyn Write>, target: &str) -> io::Result<()> {
        let costs = self.figures.costs();
        let first_token = self.first_token.as_ref().and_then(LatencyFold::finish);
        let first_token = first_token.as_ref();
        // The folds are exact to a percent.
        let rounded = |milliseconds: f64| (milliseconds * 10.0).round() / 10.0;
        let median = first_token.map(|time| rounded(time.median_ms));
        let p95 = first_token.map(|time| rounded(time.p95_ms));
        for (name, figure) in [
            ("pass_rate", self.figures.statuses.pass_rate()),
            ("mean_score", self.figures.mean_score()),
            ("cost_usd", costs.cost_usd),
            ("judge_cost_usd", costs.judge_cost_usd),
            ("replaced_cost_usd", costs.replaced_cost_usd),
            ("first_token_ms_median", median),
            ("first_token_ms_p95", p95),
        ] {
            if let Some(figure) = figure {
                property(xml, &format!("{name}{target}"), &figure.to_string())?;
            }
        }
        Ok(())
    }
}

impl Suite {
    pub(super) fn add(&mut self, record: &ResultRecord, offset: u64) {
        self.figures.add(record);
        let target = self.targets.entry(Arc::clone(&record.target));
        target.or_default().add(record);
        self.judges.add_record(record);
        self.milliseconds += milliseconds(record);
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
        for (target, figures) in &self.targets {
            let several = (self.targets.len() > 1).then(|| format!("[{target}]"));
            figures.write(xml, &several.unwrap_or_default())?;
        }
        let costs = self.figures.costs();
        let totals = [
            ("cost_usd", costs.cost_usd),
            ("judge_cost_usd", costs.judge_cost_usd),
            ("replaced_cost_usd", costs.replaced_cost_usd),
        ];
        for (name, total) in totals.iter().filter(|_| self.targets.len() > 1) {
            if let Some(total) = total {
                property(xml, name, &total.to_string())?;
            }
        }
        for (name, targets) in [
            ("unpriced", &costs.unpriced),
            ("unpriced_judges", &costs.unpriced_judges),
            ("without_usage", &costs.without_usage),
            ("graded_own_answers", &self.figures.self_judged()),
        ] {
            if !targets.is_empty() {
                property(xml, name, &targets.join(", "))?;
            }
        }
        if let Some(sentence) = different_judges(&self.judges.finish(), str::to_owned) {
            property(xml, "different_judges", &sentence)?;
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
