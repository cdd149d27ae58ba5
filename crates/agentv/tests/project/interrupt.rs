//! A command that is asked to stop leaves nothing behind.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes this long unless it hangs.
const DEADLINE: Duration = Duration::from_secs(120);

/// Enough cases that writing them takes a while even on a fast machine.
fn write_cases(path: &Path) {
    let mut file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    for number in 0..400_000 {
        writeln!(
            file,
            r#"{{"id": "{number}", "expected_outcome": "Goal", "input": "Query"}}"#
        )
        .unwrap();
    }
    file.flush().unwrap();
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect()
}

/// Waits until the conversion has begun to write.
fn wait_for_temporary_file(folder: &Path, child: &mut Child) {
    let start = Instant::now();
    while !names_in(folder)
        .iter()
        .any(|name| name.starts_with(".unfinished-"))
    {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        assert!(start.elapsed() < DEADLINE, "it never began");
        std::thread::yield_now();
    }
}

#[test]
fn an_interrupted_conversion_leaves_nothing_behind() {
    agentv_testkit::signals::reset_in_children();
    let cases = tempfile::tempdir().unwrap();
    let input = cases.path().join("cases.jsonl");
    write_cases(&input);
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let output = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_agentv"))
            .arg("convert")
            .arg(&input)
            .args(["--to", "yaml", "-o", "out.yaml"])
            .current_dir(output.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for_temporary_file(output.path(), &mut child);
        let pid = child.id().to_string();
        let kill = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(kill.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_eq!(names_in(output.path()), Vec::<String>::new());
    }
}
