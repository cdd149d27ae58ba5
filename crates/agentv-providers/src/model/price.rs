//! The cost of an answer's tokens.

use std::collections::HashMap;
use std::sync::OnceLock;

use agentv_core::TokenPrice;

use crate::kinds;
use crate::target::{SettingError, Settings};
use crate::wire::Usage;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Price {
    input: f64,
    output: f64,
    /// The price of cached tokens. If it is unknown, they cost as much as others.
    cached_input: Option<f64>,
    /// The price of writing to the cache. If it is unknown, it equals that of reading.
    cache_write: Option<f64>,
    /// The prices of requests with a long input.
    long: Option<LongInput>,
    /// True if the model takes images, false if it takes none; `None` if that is not known.
    pub(super) images: Option<bool>,
}

/// The prices of a request whose input is longer than a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LongInput {
    /// The number of input tokens above which these prices hold.
    above: u64,
    input: f64,
    output: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
}

impl Price {
    /// Returns the price in the target's field `price`.
    pub(crate) fn of_settings(settings: &Settings) -> Result<Option<Price>, SettingError> {
        let Some(fields) = settings.value("price") else {
            return Ok(None);
        };
        let amount = |name: &str| {
            let value = fields.get(name).filter(|value| !value.is_null());
            let number = |value: &serde_json::Value| match value.as_str() {
                Some(text) => text.trim().parse::<f64>().ok(),
                None => value.as_f64(),
            };
            match value.map(number) {
                None => Ok(None),
                Some(Some(number)) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
                Some(_) => Err(SettingError::of(
                    "price",
                    format!("expected `{name}` to be a number that is 0 or more"),
                )),
            }
        };
        let needed = |name: &str| {
            let missing = || SettingError::of("price", format!("`{name}` is missing"));
            amount(name)?.ok_or_else(missing)
        };
        Ok(Some(Price {
            input: needed("input")?,
            output: needed("output")?,
            cached_input: amount("cached_input")?,
            cache_write: amount("cache_write")?,
            long: None,
            images: None,
        }))
    }

    /// Returns the list price of a model, if it is known.
    ///
    /// A name with a vendor in front (`openai/gpt-5`) means that vendor's model. An unknown version costs
    /// as much as the model without its date.
    pub(crate) fn known(vendor: &str, model: &str) -> Option<Price> {
        let model = normal(model);
        let whole = || find(vendor, &model);
        let under_its_vendor = || {
            let (prefix, rest) = model.split_once('/')?;
            find(vendor_called(prefix), rest)
        };
        whole().or_else(under_its_vendor)
    }

    /// Returns the price for a profile.
    pub(super) fn quote(&self, is_own: bool) -> TokenPrice {
        TokenPrice {
            input: self.input,
            output: self.output,
            cached_input: self.cached_input,
            is_own,
        }
    }

    /// Returns the prices of plain input, output, cached input and writing to the cache.
    pub(crate) fn per_million(&self) -> [f64; 4] {
        let cached = self.cached_input.unwrap_or(self.input);
        let written = self.cache_write.unwrap_or(self.input);
        [self.input, self.output, cached, written]
    }

    /// Returns the cost of an answer, if the vendor reported its tokens.
    pub(crate) fn cost(&self, usage: &Usage) -> Option<f64> {
        let count = |tokens: Option<u64>| tokens.unwrap_or(0) as f64;
        if usage.input.is_none() && usage.output.is_none() {
            return None;
        }
        let price = self.for_input(usage.input.unwrap_or(0));
        let cached = count(usage.cached);
        let written = count(usage.cache_written);
        let plain = (count(usage.input) - cached - written).max(0.0);
        let dollars = plain * price.input
            + cached * price.cached_input.unwrap_or(price.input)
            + written * price.cache_write.unwrap_or(price.input)
            + count(usage.output) * price.output;
        Some(dollars / 1_000_000.0)
    }

    /// Returns the prices of a request with this many input tokens.
    fn for_input(self, tokens: u64) -> Price {
        match self.long.filter(|long| tokens > long.above) {
            None => self,
            Some(long) => Price {
                input: long.input,
                output: long.output,
                cached_input: long.cached_input.or(self.cached_input),
                cache_write: long.cache_write.or(self.cache_write),
                ..self
            },
        }
    }
}

/// Returns the vendor's name in the table for a vendor in front of a model's name.
fn vendor_called(prefix: &str) -> &str {
    kinds::named(prefix).map_or(prefix, |kind| kind.kind.name)
}

/// Returns the price of the name itself, or of the name without its version.
fn find(vendor: &str, model: &str) -> Option<Price> {
    let table = table();
    let at = |model: &str| table.get(format!("{vendor}/{model}").as_str()).copied();
    at(model).or_else(|| at(without_version(model)?))
}

/// `gpt-4o-2024-08-06`, `claude-sonnet-4-5-20250929`, `gpt-4-0613`, `gemini-2.0-flash-001` and
/// `mistral-large-latest` without their last part; for a tuned model (`ft:BASE:ORGANISATION::ID`)
/// the model that it comes from.
fn without_version(model: &str) -> Option<&str> {
    if let Some(tuned) = model.strip_prefix("ft:") {
        let end = tuned.find(':')? + "ft:".len();
        return Some(&model[..end]);
    }
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (base, last) = model.rsplit_once('-')?;
    if last == "latest" || digits(last, 8) || digits(last, 4) || digits(last, 3) {
        return Some(base);
    }
    let (base, month) = base.rsplit_once('-')?;
    let (base, year) = base.rsplit_once('-')?;
    (digits(last, 2) && digits(month, 2) && digits(year, 4)).then_some(base)
}

/// Normalises a name: case does not matter, nor whether a version is written `4.5` or `4-5`.
fn normal(model: &str) -> String {
    model.to_ascii_lowercase().replace('.', "-")
}

static PRICES: &str = include_str!("../../prices/prices.csv");

/// The prices by `vendor/model`, parsed at the first lookup.
fn table() -> &'static HashMap<String, Price> {
    static TABLE: OnceLock<HashMap<String, Price>> = OnceLock::new();
    TABLE.get_or_init(|| PRICES.lines().filter_map(row).collect())
}

/// Parses one line of the table; `None` for a comment and for the header.
fn row(line: &str) -> Option<(String, Price)> {
    let mut cells = line.split(',');
    let (vendor, model) = (cells.next()?, cells.next()?);
    let mut amount = || cells.next()?.parse::<f64>().ok();
    let price = Price {
        input: amount()?,
        output: amount()?,
        cached_input: amount(),
        cache_write: amount(),
        long: None,
        images: match cells.next() {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            _ => None,
        },
    };
    let above = cells.next().and_then(|cell| cell.parse().ok());
    let mut amount = || cells.next()?.parse::<f64>().ok();
    let amounts = [amount(), amount(), amount(), amount()];
    let long = match (above, amounts) {
        (Some(above), [Some(input), Some(output), cached_input, cache_write]) => Some(LongInput {
            above,
            input,
            output,
            cached_input,
            cache_write,
        }),
        _ => None,
    };
    let price = Price { long, ..price };
    Some((format!("{vendor}/{}", normal(model)), price))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Environment;

    #[test]
    fn every_line_of_the_table_is_a_price_of_a_vendor_that_is_asked() {
        let lines = PRICES.lines().filter(|line| !line.starts_with('#'));
        let lines: Vec<&str> = lines.skip(1).collect();
        assert!(lines.len() > 500, "{}", lines.len());
        for line in &lines {
            let (name, price) = row(line).unwrap_or_else(|| panic!("{line}"));
            let (vendor, _) = name.split_once('/').unwrap();
            assert!(crate::vendors().any(|known| known == vendor), "{line}");
            assert!(price.input + price.output > 0.0, "{line}");
            assert_eq!(table()[&name], price, "{line}");
        }
        assert!(PRICES.starts_with("# US dollars per million tokens."));
    }

    #[test]
    fn a_model_is_found_by_its_name_its_vendor_and_without_its_date() {
        let gpt = Price::known("openai", "gpt-4o").unwrap();
        assert_eq!((gpt.input, gpt.output), (2.5, 10.0));
        let first = Price::known("openai", "gpt-4o-2024-05-13").unwrap();
        assert_eq!((first.input, first.output), (5.0, 15.0));
        for (vendor, model) in [
            ("openai", "GPT-4o"),
            ("openai", "gpt-4o-2031-01-02"),
            ("openrouter", "openai/gpt-4o"),
            ("openai", "openai/gpt-4o-2031-01-02"),
        ] {
            assert_eq!(Price::known(vendor, model), Some(gpt), "{model}");
        }
        let claude = Price::known("anthropic", "claude-sonnet-4-5");
        assert!(claude.is_some());
        assert_eq!(
            Price::known("openrouter", "anthropic/claude-sonnet-4.5"),
            claude
        );
        let flash = Price::known("gemini", "gemini-2.5-flash");
        assert!(flash.is_some());
        assert_eq!(Price::known("openrouter", "google/gemini-2.5-flash"), flash);
        let tuned = Price::known("openai", "ft:gpt-4o-mini-2024-07-18");
        let named = Price::known("openai", "ft:gpt-4o-mini-2024-07-18:acme::abc123");
        assert!(tuned.is_some() && named == tuned);
    }

    #[test]
    fn a_model_that_is_not_known_has_no_price() {
        for (vendor, model) in [
            ("openai", "llama3"),
            ("ollama", "gpt-4o"),
            ("openai", ""),
            ("openai", "gpt-4o-24"),
            ("openrouter", "deepseek/deepseek-r1:free"),
        ] {
            assert_eq!(Price::known(vendor, model), None, "{model}");
        }
    }

    #[test]
    fn cached_tokens_cost_less_and_written_ones_more() {
        let price = Price {
            input: 3.0,
            output: 15.0,
            cached_input: Some(0.3),
            cache_write: Some(3.75),
            long: None,
            images: None,
        };
        let usage = Usage {
            input: Some(1_000_000),
            output: Some(100_000),
            cached: Some(500_000),
            cache_written: Some(100_000),
            reasoning: Some(90_000),
        };
        let cost = price.cost(&usage).unwrap();
        assert!(
            (cost - (1.2 + 0.15 + 0.375 + 1.5)).abs() < 1e-9,
            "cost: {cost}"
        );
        assert_eq!(price.cost(&Usage::default()), None);
    }

    #[test]
    fn a_request_with_a_long_input_has_other_prices() {
        let cost = |input, cached| {
            let price = Price::known("gemini", "gemini-2.5-pro").unwrap();
            let usage = Usage {
                input: Some(input),
                output: Some(1_000),
                cached,
                ..Usage::default()
            };
            (price.cost(&usage).unwrap() * 1e6).round() / 1e6
        };
        assert_eq!(cost(200_000, None), 0.26);
        assert_eq!(cost(300_000, None), 0.765);
        // 100,000 at $0.25, 200,000 at $2.50, and 1,000 at $15 per million.
        assert_eq!(cost(300_000, Some(100_000)), 0.54);
    }

    #[test]
    fn a_target_may_give_its_own_price() {
        let read = |price: serde_json::Value| {
            let settings = Settings::of_test(json!({"price": price}), Environment::default());
            Price::of_settings(&settings).map_err(|error| error.to_string())
        };
        let written = read(json!({"input": 1, "output": 2, "cache_write": 1.25})).unwrap();
        let usage = Usage {
            input: Some(1_000_000),
            output: Some(0),
            cache_written: Some(400_000),
            ..Usage::default()
        };
        assert_eq!(written.unwrap().cost(&usage), Some(0.6 + 0.5));
        let price = read(json!({"input": 1, "output": "2.5", "cached_input": 0})).unwrap();
        assert_eq!(
            price,
            Some(Price {
                input: 1.0,
                output: 2.5,
                cached_input: Some(0.0),
                cache_write: None,
                long: None,
                images: None
            })
        );
        assert_eq!(read(json!(null)), Ok(None));
        let missing = read(json!({"input": 1})).unwrap_err();
        assert_eq!(missing, "`price`: `output` is missing");
        let wrong = read(json!({"input": 1, "output": "much"})).unwrap_err();
        assert_eq!(
            wrong,
            "`price`: expected `output` to be a number that is 0 or more"
        );
    }
}
