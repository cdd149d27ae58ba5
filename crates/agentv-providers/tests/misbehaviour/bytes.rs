//! Text is sent and recorded to the byte, whatever it is made of.

use agentv_testkit::model::Behaviour;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use crate::stage::{Stage, TARGETS};

/// Texts that programs like to change.
const TEXTS: &[&str] = &[
    "  def f():\n    return 1\n\n",
    " ",
    "\n",
    "\r\n\r",
    "\t\u{0}\u{1}\u{1f}\u{7f}\u{85}",
    "\u{feff}a\u{200b}\u{2028}\u{2029}",
    "data: x\n\ndata: [DONE]\n\n",
    "e\u{301} \u{1F469}\u{200D}\u{1F467} \u{10FFFF}",
    "\\ud83d \"\\\" </file> {{ x }}",
    "<think>\n</think>",
];

#[tokio::test]
async fn every_text_comes_back_as_it_was_sent() {
    let stage = Stage::with(Behaviour::echo().without_words());
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    let any_text = proptest::collection::vec(any::<char>(), 1..40);
    let mut texts: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    for _ in 0..40 {
        let letters = any_text.new_tree(&mut runner).unwrap().current();
        texts.push(letters.into_iter().collect());
    }
    texts.push(" \u{e9}\n\\".repeat(200_000));
    for text in &texts {
        for target in TARGETS {
            let transcript = stage.ask(target, text).await.unwrap();
            let shown: String = text.chars().take(50).collect();
            assert!(transcript.answer() == *text, "{target} at {shown:?}");
        }
    }
}
