//! The start of commands: what they inherit, and why one cannot start.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use agentv_process::{CommandSpec, ProcessError, Runner};
use libtest_mimic::Trial;

use crate::stage::{Stage, run, run_by};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        arguments_arrive_byte_for_byte,
        a_shell_line_takes_arguments,
        the_environment_is_inherited_and_extended,
        a_relative_program_is_found_in_the_working_directory,
        a_missing_program_is_not_found,
        a_missing_interpreter_is_distinguished_from_a_missing_program,
        a_file_without_permission_is_not_executable,
        a_file_that_is_not_a_program_is_not_executable,
        a_missing_working_directory_is_named,
        a_file_is_not_a_working_directory,
        arguments_that_are_too_long_are_an_error,
        a_nul_in_an_argument_is_an_error,
        a_program_that_is_not_a_supervisor_is_an_error,
    ]
}

/// Returns a runner with a supervisor and one without.
fn both() -> [Runner; 2] {
    [Runner::of_this_program(), Runner::in_groups()]
}

fn message(spec: CommandSpec) -> String {
    let [supervised, grouped] = both().map(|runner| run_by(&runner, spec.clone()).unwrap_err());
    assert_eq!(supervised.to_string(), grouped.to_string());
    supervised.to_string()
}

fn arguments_arrive_byte_for_byte() {
    let arguments: [&[u8]; 8] = [
        b"plain",
        b"",
        b"two words",
        b"it's \"quoted\" `here` $HOME \\ *",
        b"line\nline\r\n\ttab",
        b"\xff\xfe not \x80 UTF-8",
        "ünïcödé 🙂".as_bytes(),
        b"--option=-c",
    ];
    let expected: Vec<u8> = arguments.map(|one| [one, b"\0"].concat()).concat();
    for runner in both() {
        let spec = CommandSpec::program("printf").arg(r"%s\0");
        let spec = spec.args(arguments.map(OsStr::from_bytes));
        assert_eq!(run_by(&runner, spec).unwrap().stdout.bytes, expected);
    }
}

fn a_shell_line_takes_arguments() {
    let spec = CommandSpec::shell(r#"printf '%s|' "$0" "$@""#).args(["zero", "it's", "2"]);
    assert_eq!(run(spec).unwrap().stdout.text(), "zero|it's|2|");
}

fn the_environment_is_inherited_and_extended() {
    let stage = Stage::new();
    let line = r#"printf '%s|' "$PATH" "$ADDED" "$PWD"; cat"#;
    for runner in both() {
        let spec = stage.shell(line).env("ADDED", "a=b\n'c'");
        let finished = run_by(&runner, spec).unwrap();
        let path = std::env::var("PATH").unwrap();
        let expected = format!("{path}|a=b\n'c'|{}|", stage.mark());
        assert_eq!(finished.stdout.text(), expected);
    }
}

fn write_script(stage: &Stage, name: &str, text: &str, mode: u32) {
    let path = stage.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

fn a_relative_program_is_found_in_the_working_directory() {
    let stage = Stage::new();
    // A link, because a file that was just written may still be open in a child of another test.
    std::os::unix::fs::symlink("/bin/echo", stage.path().join("tool")).unwrap();
    for runner in both() {
        let spec = stage.marked(CommandSpec::program("./tool")).arg("here");
        assert_eq!(run_by(&runner, spec).unwrap().stdout.text(), "here\n");
    }
}

fn a_missing_program_is_not_found() {
    let spec = CommandSpec::program("no-such-program").arg("x");
    assert_eq!(message(spec), "command `no-such-program` not found");
    let spec = CommandSpec::program("/no/such/program");
    assert_eq!(message(spec), "command `/no/such/program` not found");
}

fn a_missing_interpreter_is_distinguished_from_a_missing_program() {
    let stage = Stage::new();
    write_script(&stage, "script", "#!/no/such/interpreter\n", 0o755);
    let spec = stage.marked(CommandSpec::program("./script"));
    let expected = "cannot run `./script`: the interpreter in its first line was not found";
    assert_eq!(message(spec), expected);
}

fn a_file_without_permission_is_not_executable() {
    let stage = Stage::new();
    write_script(&stage, "script", "#!/bin/sh\n", 0o644);
    let spec = stage.marked(CommandSpec::program("./script"));
    let expected = "`./script` is not executable: Permission denied (os error 13)";
    assert_eq!(message(spec), expected);
}

fn a_file_that_is_not_a_program_is_not_executable() {
    let stage = Stage::new();
    write_script(&stage, "picture", "\u{1}\u{2}\u{3}\0", 0o755);
    let spec = stage.marked(CommandSpec::program("./picture"));
    let expected = "`./picture` is not executable: Exec format error (os error 8)";
    assert_eq!(message(spec), expected);
}

fn a_missing_working_directory_is_named() {
    let spec = CommandSpec::program("true").current_dir("/no/such/folder");
    let expected =
        "cannot run in the folder `/no/such/folder`: No such file or directory (os error 2)";
    assert_eq!(message(spec), expected);
}

fn a_file_is_not_a_working_directory() {
    let spec = CommandSpec::program("true").current_dir("/dev/null");
    let expected = "cannot run in the folder `/dev/null`: not a directory";
    assert_eq!(message(spec), expected);
}

fn arguments_that_are_too_long_are_an_error() {
    let spec = CommandSpec::program("true").arg("x".repeat(1 << 20));
    let expected = "cannot start `true`: Argument list too long (os error 7)";
    assert_eq!(message(spec), expected);
}

fn a_nul_in_an_argument_is_an_error() {
    let spec = CommandSpec::program("true").arg("a\0b");
    assert!(message(spec).starts_with("cannot start `true`: nul byte"));
}

fn a_program_that_is_not_a_supervisor_is_an_error() {
    let run = |path| run_by(&Runner::supervised_by(path), CommandSpec::program("true"));
    let error = run("/bin/true").unwrap_err();
    assert!(matches!(error, ProcessError::Supervisor { .. }));
    let expected = "the command's supervisor `/bin/true` failed: it exited before the command";
    assert_eq!(error.to_string(), expected);
    let expected =
        "the command's supervisor `/no/such` failed: No such file or directory (os error 2)";
    assert_eq!(run("/no/such").unwrap_err().to_string(), expected);
}
