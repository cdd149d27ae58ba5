//! Aggregators of composites: scripts and judges that combine results.

use std::fs;
use std::path::Path;

use agentv_core::{Evaluation, EvaluatorSpec, Judges, PassThreshold, Transcript, Verdict};
use agentv_evaluators::{Builder, judges_of};
use serde_json::{Value, json};

use crate::scripted::{ScriptedJudges, said_by_user};
use crate::support::{Trial, context, spec};

fn joined(
    folder: &Path,
    aggregator: Value,
    judges: Option<&dyn Judges>,
) -> Result<Evaluation, String> {
    let members = json!([
        {"type": "contains", "value": "Paris", "name": "city", "weight": 3},
        {"type": "contains", "value": "Seine", "name": "river"},
    ]);
    let options = json!({"type": "composite", "evaluators": members, "aggregator": aggregator});
    let builder = Builder::new(context(folder));
    let judged = Trial::answered("Paris").judge_asking(&builder, options, judges);
    judged.unwrap().map_err(|error| error.to_string())
}

#[test]
fn a_script_joins_the_results_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let script = "\
import json, sys
given = json.load(sys.stdin)
results = given['results']
assert list(results) == ['city', 'river'], results
assert results['river']['misses'] == ['does not contain `Seine`'], results
assert results['city']['weight'] == 3.0 and results['city']['verdict'] == 'pass', results
assert given['candidate_answer'] == 'Paris' and given['config'] == {}, given
print('joining')
print(json.dumps({'score': min(r['score'] for r in results.values()), 'reasoning': 'the worst'}))
";
    fs::write(folder.path().join("worst.py"), script).unwrap();
    let aggregator = json!({"type": "code_judge", "path": "/worst.py"});
    let joined = joined(folder.path(), aggregator, None).unwrap();
    assert_eq!(joined.score.value(), 0.0);
    assert_eq!(joined.reasoning.as_deref(), Some("the worst"));
    assert_eq!(joined.members.len(), 2);
}

#[test]
fn a_script_that_fails_or_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("fails.sh"), "echo no >&2; exit 2").unwrap();
    fs::write(folder.path().join("script"), "").unwrap();
    let failed = joined(
        folder.path(),
        json!({"type": "code_judge", "path": "/fails.sh"}),
        None,
    );
    assert_eq!(
        failed.unwrap_err(),
        "the aggregator's script failed with exit code 2; stderr: no"
    );
    let builder = Builder::new(context(folder.path()));
    for (path, expected) in [
        ("/none.sh", "`aggregator.path`: file not found: `/none.sh`"),
        (
            "/script",
            "`aggregator.path`: `/script` is not executable: make it executable",
        ),
        ("/../../../etc/passwd", "`aggregator.path`: "),
    ] {
        let options = json!({
            "type": "composite", "evaluators": [{"type": "is_json"}],
            "aggregator": {"type": "code_judge", "path": path},
        });
        let refused = builder.build(&spec(options)).err().unwrap().to_string();
        let expected = format!("evaluator `composite`: {expected}");
        assert!(refused.starts_with(&expected), "{refused}");
    }
}

#[test]
fn a_model_joins_the_results_which_are_data_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let prompt = "Weigh these:\n{{EVALUATOR_RESULTS_JSON}}\nQuestion: {{ question }}";
    fs::write(folder.path().join("join.md"), prompt).unwrap();
    for prompt in [prompt, "/join.md"] {
        let judges = ScriptedJudges::saying(&["hm", r#"{"score": 0.7, "hits": ["fine"]}"#]);
        let aggregator = json!({"type": "llm_judge", "prompt": prompt, "target": "wise"});
        let joined = joined(folder.path(), aggregator, Some(&judges)).unwrap();
        assert_eq!(joined.score.value(), 0.7);
        assert_eq!(
            joined.verdict_at(PassThreshold::default()),
            Verdict::Borderline
        );
        assert_eq!(joined.hits, ["fine", "[city] contains `Paris`"]);
        assert_eq!(joined.members.len(), 2);
        let asked = judges.asked();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0].0, "wise");
        let shown = said_by_user(&asked[0].1);
        let (before, results) = shown.split_once("<evaluator_results-").unwrap();
        assert_eq!(before, "Weigh these:\n");
        let (key, results) = results.split_once(">\n").unwrap();
        let end = format!("\n</evaluator_results-{key}>");
        let (results, _) = results.split_once(&end).unwrap();
        let results: Value = serde_json::from_str(results).unwrap();
        assert_eq!(
            results["river"]["misses"],
            json!(["does not contain `Seine`"])
        );
    }
}

#[test]
fn a_model_that_says_nothing_usable_is_an_error() {
    let judges = ScriptedJudges::saying(&["hm", "hm"]);
    let aggregator = json!({"type": "llm_judge", "prompt": "{{EVALUATOR_RESULTS_JSON}}"});
    let error = joined(Path::new("."), aggregator, Some(&judges)).unwrap_err();
    assert!(
        error.starts_with("the judge `usual` was asked twice"),
        "{error}"
    );
}

#[test]
fn a_required_member_fails_the_whole_whoever_decides() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kind.sh"), "echo '{\"score\": 1}'").unwrap();
    let members = json!([{"type": "is_json", "required": true}]);
    let judges = ScriptedJudges::saying(&[r#"{"score": 1}"#]);
    for aggregator in [
        json!({"type": "code_judge", "path": "/kind.sh"}),
        json!({"type": "llm_judge", "prompt": "{{EVALUATOR_RESULTS_JSON}}"}),
    ] {
        let options = json!({"type": "composite", "evaluators": members, "aggregator": aggregator});
        let builder = Builder::new(context(folder.path()));
        let judged = Trial::answered("no").judge_asking(&builder, options, Some(&judges));
        let evaluation = judged.unwrap().unwrap();
        assert_eq!(evaluation.score.value(), 1.0);
        assert_eq!(
            evaluation.verdict_at(PassThreshold::default()),
            Verdict::Fail
        );
        assert_eq!(
            evaluation.misses,
            [
                "`is_json` is required and did not pass",
                "[is_json] the answer is not JSON: expected ident at line 1 column 2"
            ]
        );
    }
}

#[test]
fn members_are_asked_side_by_side() {
    let judges = ScriptedJudges::new(|_, _| Ok(Transcript::of_text(r#"{"score": 1}"#)));
    let judges = judges.together(2);
    let members = json!([{"type": "llm_judge", "name": "a"}, {"type": "llm_judge", "name": "b"}]);
    let options = json!({"type": "composite", "evaluators": members});
    let builder = Builder::new(context(Path::new(".")));
    let judged = Trial::answered("Paris").judge_asking(&builder, options, Some(&judges));
    assert_eq!(judged.unwrap().unwrap().score.value(), 1.0);
}

#[test]
fn whom_an_aggregator_or_a_script_asks_is_known_before_it_does() {
    let asked = |options| format!("{:?}", judges_of(&spec(options)).unwrap());
    let members =
        json!([{"type": "is_json"}, {"type": "code_judge", "script": "x", "target": true}]);
    let aggregator = json!({"type": "llm_judge", "prompt": "p", "target": "wise"});
    assert_eq!(
        asked(json!({"type": "composite", "evaluators": members, "aggregator": aggregator})),
        "[Usual, Named(\"wise\")]"
    );
    let script = |target: Value| json!({"type": "code_judge", "script": "x", "target": target});
    assert_eq!(asked(script(json!({"max_calls": 2}))), "[Usual]");
    assert_eq!(asked(script(json!(false))), "[]");
}

#[test]
fn composites_stand_in_each_other_to_a_depth_that_a_record_can_hold() {
    let nested = |levels: usize| {
        (0..levels).fold(
            json!({"type": "contains", "value": "Paris"}),
            |inner, _| json!({"type": "composite", "evaluators": [inner]}),
        )
    };
    let builder = Builder::new(context(Path::new(".")));
    let trial = Trial::answered("Paris");
    let judged = trial.judge_with(&builder, nested(16)).unwrap().unwrap();
    assert_eq!(judged.score.value(), 1.0);
    for levels in [17, 200] {
        let mut spec = EvaluatorSpec::of_kind("composite");
        let Value::Object(options) = nested(levels) else {
            unreachable!("a composite is an object")
        };
        spec.options = options;
        let refused = builder.build(&spec).err().unwrap();
        assert_eq!(
            refused.to_string(),
            "evaluator `composite`: `evaluators`: composites can be nested at most 16 levels deep"
        );
        assert!(judges_of(&spec).is_err());
    }
}
