//! The result of a comparison as a sentence.

use super::difference_sentence::difference_sentence;
use super::summary::ComparisonSummary;
use crate::Style;

impl ComparisonSummary {
    /// Returns the result as a sentence, with these names of the runs. It says `better` or `worse`
    /// only if the difference is [`significant`](ComparisonSummary::significant).
    pub fn sentence(&self, a: &str, b: &str, style: Style) -> String {
        if self.of_one_run {
            return format!("{b} is the same run as {a}: every case is a tie");
        }
        if let Some(difference) = &self.statistics.difference {
            return difference_sentence(difference, self.p_value, a, b, style);
        }
        let Some(delta) = self.mean_delta else {
            return format!("{b} cannot be compared with {a}: no case has a grade in both runs");
        };
        let minus = style.minus();
        let sign = if delta < 0.0 { minus } else { "" };
        let points = delta.abs() * 100.0;
        let told = match delta {
            0.0 => format!("no difference: {b} and {a} score the same"),
            _ => format!("no significant difference: {b} {minus} {a} is {sign}{points:.1} points"),
        };
        let why = self.statistics.no_interval.map(|why| format!("; {why}"));
        told + &why.unwrap_or_default()
    }
}
