//! Targets that answer the wrong case.

use std::time::Duration;

use agentv_testkit::Random;
use agentv_testkit::model::{Behaviour, ModelServer};

use crate::campaign::{rounds, seed};
use crate::program::{NONE, agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folder};

#[test]
fn an_answer_that_names_another_case_is_never_graded_as_the_answer_to_this_one() {
    let targets = "targets: [{name: default, provider: cli, provider_batching: true, \
                   command_template: ': {PROMPT_FILE}; cat answers.jsonl'}]";
    let project = project(targets, 5, |number| number.to_string());
    let answers = r#"{"id": "case-0004", "text": "right four"}
{"id": "case-0001", "text": "right once"}
{"id": "case-0092", "text": "right elsewhere"}
{"id": "Case-0003", "text": "right but for a letter"}
{"id": "case-0001", "text": "right twice"}
{"id": "case-0000", "text": "right nought"}
"#;
    project.write("answers.jsonl", answers).unwrap();
    finish(&mut agentv(&project, NONE)).expect(3);
    let mut results = each_case_once(&run_folder(&project), 5);
    results.sort_by_key(|record| record["eval_id"].as_str().map(str::to_owned));
    let expected = [
        Ok("right nought"),
        Err("2 lines with id `case-0001`"),
        Err("no line with id `case-0002`"),
        Err("no line with id `case-0003`; it has one with id `Case-0003`"),
        Ok("right four"),
    ];
    for (record, expected) in results.iter().zip(expected) {
        match expected {
            Ok(answer) => assert_eq!(record["candidate_answer"], answer),
            Err(part) => {
                let error = record["error"]["message"].as_str().unwrap();
                assert!(error.contains(part), "{error}");
                assert!(record.get("score").is_none(), "{record}");
            }
        }
    }
}

#[test]
fn every_one_of_many_requests_gets_its_own_answer_though_some_fail() {
    let cases = rounds(600, 2_000);
    let behaviour = Behaviour::echo().jitter(Duration::from_millis(30)).keep(0);
    let server = ModelServer::start(behaviour).unwrap();
    let fields = ["workers: 200", "max_retries: 0"];
    let hangs = |number: usize| number % 100 == 50;
    let seed = seed();
    let nonce = |number: usize| {
        let luck = Random::of_item(seed, number as u64).next();
        format!("right {luck:016x}")
    };
    let project = project(&model_target(&server, &fields), cases, |number| {
        let trouble = match number {
            _ if hangs(number) => "!hang-body! ",
            _ if number % 100 == 60 => "!reset! ",
            _ if number % 100 == 70 => "!close! ",
            _ => "",
        };
        format!("{trouble}{}", nonce(number))
    });
    finish(&mut agentv(&project, ["--timeout", "3"])).expect(3);
    let mut answered = 0;
    for record in each_case_once(&run_folder(&project), cases) {
        let id = record["eval_id"].as_str().unwrap();
        let number: usize = id.trim_start_matches("case-").parse().unwrap();
        match record["candidate_answer"].as_str() {
            Some(answer) => {
                assert!(answer.ends_with(&nonce(number)), "{record}");
                assert!(!hangs(number), "{record}");
                answered += 1;
            }
            // On a busy machine, other requests may time out, too.
            None => assert_eq!(record["error"]["stage"], "target", "{record}"),
        }
    }
    assert!(answered > cases / 2, "{answered}");
}
