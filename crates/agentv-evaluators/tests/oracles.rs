//! Properties of any text that a judge says or a script prints, for the fuzz targets and the test
//! of their seeds.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use agentv_core::{
    BoxFuture, EvalCase, Evaluation, EvaluatorResult, EvaluatorSpec, Judge, JudgeRequest, Judges,
    Judging, Prompt, ProviderError, Subject, TraceSummary, Transcript,
};
use agentv_evaluators::{BuildContext, of_script};
use serde_json::{Value, json};

/// Checks that any bytes as a judge's answer give a judgement or an error, the same every time, for
/// both forms of answer. The judgement written as plain JSON is read back unchanged.
pub fn judge_answer(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    for (options, said_plainly) in [
        (free(), plain_free as fn(&Evaluation) -> Value),
        (checklist(), plain_checklist),
    ] {
        let judged = judged(&options, text);
        assert_eq!(self::judged(&options, text), judged, "the same text again");
        let Ok(evaluation) = judged else { continue };
        let score = evaluation.score.value();
        assert!((0.0..=1.0).contains(&score), "{score}");
        let plain = said_plainly(&evaluation).to_string();
        assert_eq!(self::judged(&options, &plain), Ok(evaluation), "{plain}");
    }
    strict_json_is_taken_at_its_word(text);
}

/// Checks that an answer of one JSON object with a numeric score gets that score or an error.
fn strict_json_is_taken_at_its_word(text: &str) {
    let Ok(Value::Object(answer)) = serde_json::from_str(text) else {
        return;
    };
    let Some(score) = answer.get("score").and_then(Value::as_f64) else {
        return;
    };
    match judged(&free(), text) {
        Ok(evaluation) => assert_eq!(evaluation.score.value(), score),
        // A repeated key is ambiguous.
        Err(_) => {
            assert!(!(0.0..=1.0).contains(&score) || text.matches(':').count() > answer.len())
        }
    }
}

fn free() -> Value {
    json!({"name": "free", "type": "llm_judge"})
}

fn checklist() -> Value {
    json!({"name": "list", "type": "rubric", "rubrics": [
        {"id": "a", "expected_outcome": "Is right", "weight": 2.0},
        {"id": "b", "required_min_score": 3, "score_ranges": [
            {"score_range": [0, 4], "expected_outcome": "Shallow"},
            {"score_range": [5, 10], "expected_outcome": "Deep"},
        ]},
    ]})
}

fn plain_free(evaluation: &Evaluation) -> Value {
    json!({
        "score": evaluation.score.value(),
        "hits": evaluation.hits,
        "misses": evaluation.misses,
        "reasoning": evaluation.reasoning,
    })
}

fn plain_checklist(evaluation: &Evaluation) -> Value {
    let checks = evaluation
        .details
        .as_ref()
        .map(|details| &details["checks"]);
    json!({"checks": checks, "overall_reasoning": evaluation.reasoning})
}

/// Returns the evaluation of an answer if the judge always says `text`.
pub fn judged(options: &Value, text: &str) -> Result<Evaluation, String> {
    let spec: EvaluatorSpec = serde_json::from_value(options.clone()).expect("a spec");
    let evaluator = agentv_evaluators::build(&spec, &BuildContext::new(".")).expect("an evaluator");
    let case =
        json!({"id": "a", "dataset": "d", "input_messages": [{"role": "user", "content": "?"}]});
    let case: EvalCase = serde_json::from_value(case).expect("a case");
    let transcript = Transcript::of_text("Paris");
    let judges = Saying(text);
    let subject = Subject {
        folder: std::path::Path::new("."),
        workspace: None,
        sandbox: None,
        further_changes: &[],
        workspace_is_gone: false,
        spares: false,
        rivals: &[],
        case: &case,
        prompt: &Prompt::of(&case),
        transcript: &transcript,
        answer: "Paris",
        trace: &TraceSummary::of(&transcript, None),
        judging: Some(Judging(&judges)),
    };
    let mut evaluation = pin!(evaluator.evaluate(&subject));
    // Nothing here waits.
    match evaluation
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(judged) => judged.map_err(|error| error.to_string()),
        Poll::Pending => panic!("a judge that answers at once was waited for"),
    }
}

/// Checks that any bytes as a script's output give an evaluation or an error, the same every time.
/// An evaluation fits into a record, and printed alone it is read back unchanged.
pub fn script_output(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let read_in_words = |text: &str| of_script(text).map_err(|wrong| wrong.to_string());
    let read = read_in_words(text);
    assert_eq!(read_in_words(text), read, "the same text again");
    let evaluation = match read {
        Ok(evaluation) => evaluation,
        Err(wrong) => {
            let length = wrong.chars().count();
            assert!((1..1_000).contains(&length), "{length}: {wrong:.300}");
            return;
        }
    };
    let mut plain = plain_free(&evaluation);
    plain["details"] = json!(evaluation.details);
    assert_eq!(
        read_in_words(&plain.to_string()).as_ref(),
        Ok(&evaluation),
        "{plain}"
    );
    let result = json!({
        "name": "n", "type": "code_judge", "weight": 1.0, "score": evaluation.score,
        "hits": evaluation.hits, "misses": evaluation.misses,
        "reasoning": evaluation.reasoning, "details": evaluation.details,
    });
    let nested = json!([{"evaluator_results": [{"evaluator_results": [result]}]}]).to_string();
    let back: Value = serde_json::from_str(&nested).expect("a record is read back");
    let back = back.pointer("/0/evaluator_results/0/evaluator_results/0");
    let back: EvaluatorResult =
        serde_json::from_value(back.cloned().expect("a result")).expect("a result is read back");
    assert_eq!(back.details, evaluation.details);
    assert_eq!(back.score, Some(evaluation.score));
}

/// Judges that always give the same answer.
struct Saying<'t>(&'t str);

impl Judges for Saying<'_> {
    fn known(&self) -> Vec<&str> {
        vec!["usual"]
    }

    fn name<'a>(&'a self, _: &'a Judge) -> &'a str {
        "usual"
    }

    fn ask<'a>(
        &'a self,
        _: &'a Judge,
        _: JudgeRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(std::future::ready(Ok(Transcript::of_text(self.0))))
    }
}
