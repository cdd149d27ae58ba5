//! Limits on time, cost and tokens.

use agentv_core::TokenUsage;
use serde_json::json;

use crate::support::{Trial, refusal, summary};

fn measured() -> Trial {
    let mut trial = Trial::answered("x");
    trial.transcript.duration_ms = Some(1_500.25);
    trial.transcript.cost_usd = Some(0.01);
    trial.transcript.token_usage = Some(TokenUsage {
        input: 100,
        output: 20,
        ..TokenUsage::default()
    });
    trial
}

#[test]
fn a_limit_is_kept_up_to_its_edge() {
    for (options, score, words) in [
        (
            json!({"type": "latency", "threshold": 1500.25}),
            1.0,
            "duration 1500.25 ms, at most 1500.25 ms",
        ),
        (
            json!({"type": "latency", "threshold": 1500}),
            0.0,
            "duration 1500.25 ms, more than 1500 ms",
        ),
        (
            json!({"type": "cost", "budget": 0.01}),
            1.0,
            "cost 0.01 USD, at most 0.01 USD",
        ),
        (
            json!({"type": "cost", "budget": 0.009}),
            0.0,
            "cost 0.01 USD, more than 0.009 USD",
        ),
        (
            json!({"type": "token_usage", "max_total": 120}),
            1.0,
            "tokens 120, at most 120",
        ),
        (
            json!({"type": "token_usage", "max_input": 99}),
            0.0,
            "input tokens 100, more than 99",
        ),
    ] {
        let evaluation = measured().evaluation(options);
        let (hits, misses) = if score == 1.0 {
            (vec![words], vec![])
        } else {
            (vec![], vec![words])
        };
        assert_eq!(summary(&evaluation), (score, hits, misses));
    }
}

#[test]
fn every_given_limit_of_tokens_must_be_kept() {
    let options =
        json!({"type": "token_usage", "max_total": 500, "max_input": 100, "max_output": 19});
    let evaluation = measured().evaluation(options);
    let hits = vec!["tokens 120, at most 500", "input tokens 100, at most 100"];
    assert_eq!(
        summary(&evaluation),
        (0.0, hits, vec!["output tokens 20, more than 19"])
    );
}

#[test]
fn without_a_figure_the_evaluator_errors_and_never_scores_zero() {
    let trial = Trial::answered("x");
    for (options, reason) in [
        (
            json!({"type": "latency", "threshold": 5}),
            "the figure for duration is unknown, so the limit of 5 ms cannot be checked",
        ),
        (
            json!({"type": "cost", "budget": 5}),
            "the figure for cost is unknown, so the limit of 5 USD cannot be checked",
        ),
        (
            json!({"type": "token_usage", "max_total": 500.5}),
            "the figure for tokens is unknown, so the limit of 500.5 cannot be checked",
        ),
        (
            json!({"type": "execution_metrics", "max_tool_calls": 0, "max_cost_usd": 1}),
            "the figure for cost is unknown, so the limit of 1 USD cannot be checked",
        ),
    ] {
        assert_eq!(trial.judge(options).unwrap_err().to_string(), reason);
    }
}

#[test]
fn execution_metrics_scores_the_share_of_limits_kept() {
    let trial =
        measured().calling(json!([{"tool": "read_file"}, {"tool": "grep"}, {"tool": "Edit"}]));
    let options = json!({
        "type": "execution_metrics",
        "max_tool_calls": 2,
        "max_llm_calls": 2,
        "max_tokens": 120,
        "max_cost_usd": 0.001,
        "max_duration_ms": 2000,
        "target_exploration_ratio": 0.5,
    });
    let evaluation = trial.evaluation(options);
    let hits = vec![
        "model calls 2, at most 2",
        "tokens 120, at most 120",
        "duration 1500.25 ms, at most 2000 ms",
        "exploration ratio 0.666667, expected 0.5 ± 0.2",
    ];
    let misses = vec![
        "tool calls 3, more than 2",
        "cost 0.01 USD, more than 0.001 USD",
    ];
    assert_eq!(summary(&evaluation), (4.0 / 6.0, hits, misses));
}

#[test]
fn without_tool_calls_there_is_no_exploration() {
    let options = json!({
        "type": "execution_metrics",
        "max_tool_calls": 0,
        "target_exploration_ratio": 0.5,
        "exploration_tolerance": 1,
    });
    let evaluation = Trial::answered("x").evaluation(options);
    let misses = vec!["exploration ratio unknown (no tool calls), expected 0.5 ± 1"];
    let hits = vec!["tool calls 0, at most 0"];
    assert_eq!(summary(&evaluation), (0.5, hits, misses));
}

#[test]
fn what_is_wrong_in_the_options_is_said_in_words() {
    for (options, message) in [
        (
            json!({"type": "latency"}),
            "evaluator `latency`: `threshold`: missing",
        ),
        (
            json!({"type": "cost", "budget": -1}),
            "evaluator `cost`: `budget`: expected a number that is 0 or more, found -1",
        ),
        (
            json!({"type": "token_usage", "max_total": -1.5}),
            "evaluator `token_usage`: `max_total`: expected a number that is 0 or more, found -1.5",
        ),
        (
            json!({"type": "token_usage"}),
            "evaluator `token_usage`: `max_total`: missing: expected at least one of `max_total`, `max_input` and `max_output`",
        ),
        (
            json!({"type": "execution_metrics"}),
            "evaluator `execution_metrics`: `max_tool_calls`: expected at least one limit",
        ),
        (
            json!({"type": "execution_metrics", "target_exploration_ratio": 1.5}),
            "evaluator `execution_metrics`: `target_exploration_ratio`: expected a number from 0 to 1, found 1.5",
        ),
    ] {
        assert_eq!(refusal(options), message);
    }
}
