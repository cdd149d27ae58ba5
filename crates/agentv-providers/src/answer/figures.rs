//! Figures that a target reports about its answer.

use agentv_core::{Extra, TokenUsage};
use serde_json::Value;

use crate::excerpt::excerpt;

/// The largest count that a JSON number represents exactly.
const MOST: f64 = 9_007_199_254_740_991.0;

/// A reader of figures. One that is impossible is ignored, with a warning: it says nothing about the
/// answer, and a wrong figure would be worse than none.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) warnings: Vec<String>,
}

impl Figures {
    /// Reads a number that is 0 or more.
    pub(super) fn amount(&mut self, fields: &Extra, name: &str) -> Option<f64> {
        let value = fields.get(name)?;
        let amount = value.as_f64().filter(|number| *number >= 0.0);
        if amount.is_none() {
            self.ignore(name, "a number that is 0 or more", value);
        }
        amount
    }

    /// Reads the numbers of tokens. If one of them is impossible or missing, the others would add up to a
    /// wrong total, so all are ignored.
    pub(super) fn tokens(&mut self, usage: &Value) -> Option<TokenUsage> {
        let Value::Object(usage) = usage else {
            self.ignore("token_usage", "an object", usage);
            return None;
        };
        let names = ["input", "output", "cached", "reasoning"];
        let [input, output, cached, reasoning] = names.map(|name| {
            let value = usage.get(name).filter(|value| !value.is_null());
            value.map(|value| {
                let count = whole(value);
                if count.is_none() {
                    let expected = "a whole number that is 0 or more";
                    self.ignore(&format!("token_usage.{name}"), expected, value);
                }
                count
            })
        });
        // A number that is missing is unknown, and not 0.
        let missing = [(&input, "input"), (&output, "output")];
        let mut missing = missing.iter().filter(|(found, _)| found.is_none());
        if let Some((_, name)) = missing.next() {
            let warning = format!("`token_usage` is ignored: it lacks `{name}`");
            self.warnings.push(warning);
            return None;
        }
        Some(TokenUsage {
            input: input??,
            output: output??,
            cached: cached.flatten(),
            reasoning: reasoning.flatten(),
        })
    }

    fn ignore(&mut self, field: &str, expected: &str, found: &Value) {
        let found = excerpt(&found.to_string());
        let warning = format!("`{field}` is ignored: expected {expected}, found {found}");
        self.warnings.push(warning);
    }
}

/// Returns a whole number that is 0 or more, including `2.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && (0.0..=MOST).contains(&number);
        is_whole.then_some(number as u64)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_impossible_figure_is_ignored_with_a_warning() {
        for (usage, expected, warnings) in [
            (
                json!({"input": 10, "output": 2.0, "cached": 4}),
                Some((10, 2, Some(4))),
                0,
            ),
            (json!({"output": 2}), None, 1),
            (json!({"input": 3, "output": null}), None, 1),
            (json!({"total": 100}), None, 1),
            (json!({}), None, 1),
            (
                json!({"input": 10, "output": 2, "cached": -4}),
                Some((10, 2, None)),
                1,
            ),
            (json!({"input": -10, "output": 2}), None, 1),
            (json!({"input": 1.5, "output": "2"}), None, 2),
            (json!([1, 2]), None, 1),
        ] {
            let mut figures = Figures::default();
            let read = figures.tokens(&usage);
            let read = read.map(|usage| (usage.input, usage.output, usage.cached));
            assert_eq!(
                (read, figures.warnings.len()),
                (expected, warnings),
                "{usage}"
            );
        }
    }

    #[test]
    fn the_warning_names_the_figure() {
        let mut figures = Figures::default();
        let fields = json!({"cost_usd": -0.5, "duration_ms": 3});
        let fields = fields.as_object().unwrap();
        assert_eq!(figures.amount(fields, "cost_usd"), None);
        assert_eq!(figures.amount(fields, "duration_ms"), Some(3.0));
        assert_eq!(figures.amount(fields, "other"), None);
        assert_eq!(
            figures.warnings,
            ["`cost_usd` is ignored: expected a number that is 0 or more, found -0.5"]
        );
    }
}
