//! The result of a comparison in sentences.

use agentv_statistics::{PairedDifference, TooFew};

use super::comparison::Figures;
use super::difference_sentence::difference_sentence;
use super::families::Member;
use super::summary::ScoreDifference;
use crate::Style;
use crate::figures::{count, counted};

impl Figures {
    /// Returns the result as a sentence, with these names of the runs. It says `better` or `worse`
    /// only if a difference is significant. If runs have several targets, it counts them, and
    /// [`Figures::sentences`] has the result of each.
    pub fn sentence(&self, a: &str, b: &str, style: Style) -> String {
        if self.summary.of_one_run {
            return format!("{b} is the same run as {a}: every case is a tie");
        }
        if let Some(scores) = &self.summary.scores {
            return scores.sentence(a, b, style);
        }
        let significant = |is_of_kind: fn(f64) -> bool| {
            let members = self.targets.iter().filter(|member| member.significant);
            members
                .filter(|member| is_of_kind(member.mean_delta))
                .count() as u64
        };
        let of = counted(self.targets.len() as u64, "target", "targets");
        match [
            significant(|delta| delta > 0.0),
            significant(|delta| delta < 0.0),
        ] {
            _ if self.targets.is_empty() => not_compared(a, b),
            [0, 0] => format!("no significant difference between {b} and {a} on any of {of}"),
            [better, 0] => format!("{b} is better on {} of {of}", count(better)),
            [0, worse] => format!("{b} is worse on {} of {of}", count(worse)),
            [better, worse] => format!(
                "{b} is better on {} and worse on {} of {of}",
                count(better),
                count(worse)
            ),
        }
    }

    /// Returns the result of each target as a sentence, if runs have several.
    pub fn sentences<'f>(
        &'f self,
        a: &str,
        b: &str,
        style: Style,
    ) -> impl Iterator<Item = (&'f Member, String)> {
        let targets = self.targets.iter().filter(|_| !self.summary.of_one_run);
        targets.map(move |member| {
            let no_interval = member.statistics.as_ref();
            let found = Found {
                difference: member.difference.as_ref(),
                p_value: member.corrected_p_value,
                mean_delta: Some(member.mean_delta),
                no_interval: no_interval.and_then(|statistics| statistics.no_interval),
            };
            (member, found.sentence(a, b, style))
        })
    }
}

impl ScoreDifference {
    fn sentence(&self, a: &str, b: &str, style: Style) -> String {
        let found = Found {
            difference: self.statistics.difference.as_ref(),
            p_value: self.p_value,
            mean_delta: self.mean_delta,
            no_interval: self.statistics.no_interval,
        };
        found.sentence(a, b, style)
    }
}

fn not_compared(a: &str, b: &str) -> String {
    format!("{b} cannot be compared with {a}: no case has a grade in both runs")
}

/// The difference that a sentence is about.
struct Found<'f> {
    difference: Option<&'f PairedDifference>,
    p_value: f64,
    mean_delta: Option<f64>,
    no_interval: Option<TooFew>,
}

impl Found<'_> {
    fn sentence(&self, a: &str, b: &str, style: Style) -> String {
        if let Some(difference) = self.difference {
            return difference_sentence(difference, self.p_value, a, b, style);
        }
        let Some(delta) = self.mean_delta else {
            return not_compared(a, b);
        };
        let minus = style.minus();
        let sign = if delta < 0.0 { minus } else { "" };
        let points = delta.abs() * 100.0;
        let told = match delta {
            0.0 => format!("no difference: {b} and {a} score the same"),
            _ => format!("no significant difference: {b} {minus} {a} is {sign}{points:.1} points"),
        };
        let why = self.no_interval.map(|why| format!("; {why}"));
        told + &why.unwrap_or_default()
    }
}
