//! The law of quoting: the shell gives back what was quoted.

use std::process::Command;

use agentv_process::quote;
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

pub(crate) fn trials() -> Vec<Trial> {
    trials![the_shell_gives_back_what_was_quoted]
}

fn the_shell_gives_back_what_was_quoted() {
    let any = prop_oneof![
        "[^\0]{0,40}",
        r#"['"\\$`!*?~#&;|<>(){}\[\] \t\r\n=%^-]{0,20}"#,
        r"[a-zA-Z0-9_./:@%+,=~-]{0,20}",
    ];
    let law = |texts: Vec<String>| {
        let words: Vec<String> = texts.iter().map(|text| quote(text)).collect();
        let line = format!(r"printf '%s\0' {}", words.join(" "));
        let output = Command::new("sh").arg("-c").arg(&line).output().unwrap();
        let expected: String = texts.iter().map(|text| format!("{text}\0")).collect();
        prop_assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            expected,
            "{}",
            line
        );
        Ok(())
    };
    let texts = prop::collection::vec(any, 1..8);
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(&texts, law).unwrap();
}
