//! The law of quoting: the shell returns the text that was quoted.

use std::ffi::OsString;
use std::process::Command;

use agentv_process::{quote, quote_os};
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        the_shell_preserves_quoted_text,
        the_shell_preserves_bytes_that_are_not_text
    ]
}

fn the_shell_preserves_quoted_text() {
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

/// A substitution only drops line breaks at the end.
#[cfg(unix)]
fn the_shell_preserves_bytes_that_are_not_text() {
    use std::os::unix::ffi::OsStringExt;
    let law = |mut bytes: Vec<u8>| {
        bytes.push(b'.');
        let word = quote_os(&OsString::from_vec(bytes.clone()));
        prop_assert!(!word.contains(char::is_control), "{}", word);
        let line = format!("printf %s {word}");
        let output = Command::new("sh").arg("-c").arg(&line).output().unwrap();
        prop_assert_eq!(output.stdout, bytes, "{}", line);
        Ok(())
    };
    let odd = prop::sample::select(b"\xff\xc3-%\\'\"$`\n\x1b 09a".to_vec());
    let bytes = prop_oneof![
        prop::collection::vec(1_u8..=255, 0..40),
        prop::collection::vec(odd, 0..20),
    ];
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(&bytes, law).unwrap();
}
