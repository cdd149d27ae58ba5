//! The items of a checklist, as the user wrote them.

use agentv_core::{Extra, Rubric, ScoreRange};
use serde_json::Value;

use crate::error::BuildError;
use crate::options::Options;

/// Reads the items of `rubrics`. A string alone is an item that is met or not. Returns an empty list
/// if there are none.
pub(crate) fn rubrics(options: &Options<'_>) -> Result<Vec<Rubric>, BuildError> {
    let items = options.list("rubrics")?.unwrap_or_default();
    let items: Result<Vec<Rubric>, BuildError> = items
        .iter()
        .enumerate()
        .map(|(index, item)| match item {
            Value::String(outcome) => Ok(Rubric {
                expected_outcome: Some(outcome.clone()),
                required: true,
                ..unnamed(index)
            }),
            _ => written(&options.element("rubrics", index, item)?, index),
        })
        .collect();
    let items = items?;
    let mut ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let problem = format!("two items have the id `{}`", pair[0]);
            Err(options.invalid("rubrics", problem))
        }
        None => Ok(items),
    }
}

fn unnamed(index: usize) -> Rubric {
    Rubric {
        id: format!("rubric-{}", index + 1),
        expected_outcome: None,
        weight: 1.0,
        required: false,
        required_min_score: None,
        score_ranges: Vec::new(),
        extra: Extra::new(),
    }
}

fn written(item: &Options<'_>, index: usize) -> Result<Rubric, BuildError> {
    let rubric = unnamed(index);
    let score_ranges = ranges(item)?;
    let outcome = match item.text("expected_outcome")? {
        None => item.text("description")?,
        outcome => outcome,
    };
    Ok(Rubric {
        id: item.text("id")?.map_or(rubric.id, str::to_owned),
        expected_outcome: outcome.map(str::to_owned),
        weight: item.amount("weight")?.unwrap_or(1.0),
        // An item that is met or not is required by default.
        required: item.flag("required", score_ranges.is_empty())?,
        required_min_score: match item.count("required_min_score")? {
            None => None,
            Some(points @ 0..=10) => Some(points as u8),
            Some(_) => {
                return Err(
                    item.invalid("required_min_score", "expected a whole number from 0 to 10")
                );
            }
        },
        score_ranges,
        extra: Extra::new(),
    })
}

fn ranges(item: &Options<'_>) -> Result<Vec<ScoreRange>, BuildError> {
    if let Some(Value::Object(starts)) = item.get("score_ranges") {
        return ranges_from(starts).ok_or_else(|| {
            let expected = "expected an object that maps whole numbers from 0 to 10 to texts";
            item.invalid("score_ranges", expected)
        });
    }
    let ranges = item.objects("score_ranges")?.unwrap_or_default();
    let ranges = ranges.iter().map(|range| {
        let bounds = range.required("score_range")?.as_array();
        let bounds = bounds.map(|bounds| bounds.iter().map(point).collect::<Vec<_>>());
        let Some([Some(low), Some(high)]) = bounds.as_deref() else {
            return Err(range.invalid("score_range", "expected two whole numbers from 0 to 10"));
        };
        Ok(ScoreRange {
            score_range: [*low, *high],
            expected_outcome: range.required_text("expected_outcome")?.to_owned(),
            extra: Extra::new(),
        })
    });
    ranges.collect()
}

/// Returns the ranges of an object such as `{0: …, 3: …, 10: …}`. Each key is the lowest number of a
/// range that ends before the next.
fn ranges_from(starts: &Extra) -> Option<Vec<ScoreRange>> {
    let low = |key: &String| key.trim().parse::<u8>().ok().filter(|low| *low <= 10);
    let starts = starts.iter();
    let starts = starts.map(|(key, outcome)| Some((low(key)?, outcome.as_str()?)));
    let mut starts: Vec<(u8, &str)> = starts.collect::<Option<_>>()?;
    starts.sort_unstable();
    let ends = starts.iter().skip(1).map(|(next, _)| next.checked_sub(1));
    let ends: Vec<u8> = ends.chain([Some(10)]).collect::<Option<_>>()?;
    let ranges = starts
        .iter()
        .zip(ends)
        .map(|((low, outcome), high)| ScoreRange {
            score_range: [*low, high],
            expected_outcome: (*outcome).to_owned(),
            extra: Extra::new(),
        });
    Some(ranges.collect())
}

fn point(value: &Value) -> Option<u8> {
    let number = value.as_f64()?;
    let is_point = number.fract() == 0.0 && (0.0..=10.0).contains(&number);
    is_point.then_some(number as u8)
}
