//! Scenarios of AgentV 5: each test with each configuration.

use agentv_syntax::{Placed, PlacedField};

use super::super::case_files::all_cases;
use super::super::source::Translation;

/// Returns the cases of scenarios: each test with each configuration.
pub(in crate::dialect) fn of_scenarios(
    translation: &mut Translation<'_>,
    scenarios: &Placed,
) -> Vec<Placed> {
    let mut cases = Vec::new();
    for scenario in scenarios.items() {
        let configurations = scenario
            .given("config")
            .map(Placed::items)
            .unwrap_or_default();
        let tests = scenario.given("tests");
        let tests = tests
            .map(|tests| all_cases(translation, tests))
            .unwrap_or_default();
        for configuration in configurations {
            for test in &tests {
                cases.push(over(configuration.clone(), test.clone()));
            }
        }
    }
    cases
}

/// Returns the fields of a test over those of a configuration. Variables are merged, assertions added.
pub(in crate::dialect) fn over(mut below: Placed, mut test: Placed) -> Placed {
    let mut merged = Placed::map(test.span.clone());
    let (vars, own) = (below.take("vars"), test.take("vars"));
    let place = own
        .as_ref()
        .or(vars.as_ref())
        .map(|field| field.span.clone());
    if let Some(place) = place {
        merged.put(
            "vars",
            place.clone(),
            merged_vars(vars.as_ref(), own.as_ref(), place),
        );
    }
    let (asserts, own) = (below.take("assert"), test.take("assert"));
    let place = own
        .as_ref()
        .or(asserts.as_ref())
        .map(|field| field.span.clone());
    if let Some(place) = place {
        let all = own
            .iter()
            .chain(&asserts)
            .flat_map(|field| field.value.items().to_vec());
        merged.put("assert", place.clone(), Placed::list(place, all.collect()));
    }
    for field in test.fields() {
        merged.put_as(field.name.clone(), field.clone());
    }
    for field in below.fields() {
        if merged.given(&field.name).is_none() {
            merged.put_as(field.name.clone(), field.clone());
        }
    }
    merged
}

fn merged_vars(
    below: Option<&PlacedField>,
    own: Option<&PlacedField>,
    place: std::ops::Range<usize>,
) -> Placed {
    let mut merged = Placed::map(place);
    for field in own.iter().flat_map(|own| own.value.fields()) {
        merged.put_as(field.name.clone(), field.clone());
    }
    for field in below.iter().flat_map(|below| below.value.fields()) {
        if merged.given(&field.name).is_none() {
            merged.put_as(field.name.clone(), field.clone());
        }
    }
    merged
}
