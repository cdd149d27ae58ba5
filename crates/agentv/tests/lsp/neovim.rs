//! A real editor: Neovim without a screen.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::projects::TestProject;

const SUITE: &str = "\
evalcases:
  - id: greeting
    expected_outcome: says hello
    input: 'Hello 😀'
    evaluators:
      - {type: contans, value: Hello}
";

fn is_installed() -> bool {
    let version = Command::new("nvim")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
fn neovim_shows_and_fixes_a_mistake_in_an_unsaved_buffer() {
    if !is_installed() {
        eprintln!("ignored: `nvim` is not installed (Debian: apt-get install neovim)");
        return;
    }
    let project = TestProject::of(&[("cases.yaml", SUITE)]);
    let out = project.path("out.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/neovim.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        .args(["-c", "cquit"])
        .env("LSP_ROOT", &project.root)
        .env("LSP_BINARY", env!("CARGO_BIN_EXE_agentv"))
        .env("LSP_OUT", &out)
        .env("HOME", &project.root)
        .env("XDG_STATE_HOME", project.path("state"))
        .env("XDG_CACHE_HOME", project.path("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let written = fs::read_to_string(&out).unwrap_or_else(|_| panic!("{printed}"));
    let found: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(found["opened"][0]["line"], 5, "{found}");
    assert_eq!(found["opened"][0]["column"], 15);
    assert_eq!(found["opened"][0]["code"], "E016");
    assert_eq!(found["fixes"], json!(["Replace with `contains`"]));
    assert_eq!(found["line"], "      - {type: contains, value: Hello}");
    assert!(
        found["hover"].as_str().unwrap().contains("Passes if"),
        "{found}"
    );
    assert!(found["completion"].as_u64().unwrap() > 10);
    assert_eq!(
        (&found["symbols"], &found["lenses"]),
        (&json!(1), &json!(1))
    );
    // The file on disk still has the mistake.
    assert!(
        fs::read_to_string(project.path("cases.yaml"))
            .unwrap()
            .contains("contans")
    );
}
