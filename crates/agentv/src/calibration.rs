//! A calibration, for people and for scripts.

use agentv_core::{Verdict, is_obeyed};
use agentv_project::{Calibration, JudgedAnswer};
use agentv_report::agreement::word;
use serde_json::{Value, json};

/// Renders a calibration for people.
pub(crate) fn text(calibration: &Calibration) -> String {
    let mut text = calibration.agreement.render();
    text.push('\n');
    text.push_str(&calibration.agreement.render_confusion());
    for (name, agreement) in &calibration.by_evaluator {
        text.push_str(&format!("\nevaluator `{name}`\n{}", agreement.render()));
    }
    if !calibration.differing.is_empty() {
        text.push_str("\nlargest differences\n");
        for case in &calibration.differing {
            text.push_str(&format!("  {}\n", differing_line(case)));
        }
    }
    if !calibration.errored.is_empty() {
        text.push_str(&format!(
            "\nerrored, excluded above: {}\n",
            calibration.errored.len()
        ));
        for case in &calibration.errored {
            text.push_str(&format!("  {}  {}\n", one_line(&case.id), reason(case)));
        }
    }
    text
}

/// Renders a calibration for scripts.
pub(crate) fn json(calibration: &Calibration) -> Value {
    let differing = calibration.differing.iter().map(|case| {
        let (verdict, score) = case.said.unzip();
        json!({
            "eval_id": case.id,
            "human_verdict": case.label.verdict,
            "human_score": case.label.score,
            "judge_verdict": verdict,
            "judge_score": score,
            "reason": case.reason,
        })
    });
    let errored = calibration.errored.iter();
    let errored = errored.map(|case| json!({"eval_id": case.id, "reason": case.reason}));
    json!({
        "agreement": calibration.agreement,
        "by_evaluator": calibration.by_evaluator,
        "differ_most": differing.collect::<Vec<_>>(),
        "errored": errored.collect::<Vec<_>>(),
    })
}

fn differing_line(case: &JudgedAnswer) -> String {
    let shown = |verdict: Verdict, score: Option<f64>| match score {
        Some(score) => format!("{score:.3} {}", word(verdict)),
        None => word(verdict).to_owned(),
    };
    let human = shown(
        case.label.verdict,
        case.label.score.map(agentv_core::Score::value),
    );
    let judge = case
        .said
        .map(|(verdict, score)| shown(verdict, Some(score)))
        .unwrap_or_default();
    let id = one_line(&case.id);
    format!("{id}  human {human} · judge {judge}  {}", reason(case))
        .trim_end()
        .to_owned()
}

fn reason(case: &JudgedAnswer) -> String {
    one_line(case.reason.as_deref().unwrap_or_default())
}

/// Returns a text without line breaks and without letters that a terminal would obey.
fn one_line(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|letter| if is_obeyed(letter) { ' ' } else { letter })
        .collect();
    shown.trim().to_owned()
}
