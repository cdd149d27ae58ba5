//! Loads the cases of an eval file, and prints the problems that were found.
//!
//! ```sh
//! cargo run -p agentv-project --example load_cases -- examples/quickstart/evals/capitals.yaml
//! ```

use std::error::Error;
use std::path::PathBuf;

use agentv_dataset::{LoadOptions, load_eval_cases};
use agentv_project::DEFINITIONS;

fn load(file: PathBuf) -> Result<Vec<String>, Box<dyn Error>> {
    let options = LoadOptions::new(DEFINITIONS, std::env::current_dir()?);
    let loaded = load_eval_cases(file, &options)?;
    let mut lines = Vec::new();
    for problem in &loaded.diagnostics {
        lines.push(format!("skipped: {problem}"));
    }
    for case in &loaded.cases {
        let expected = case.expected_outcome.as_deref().unwrap_or("-");
        lines.push(format!("{}: {expected}", case.id));
    }
    Ok(lines)
}

#[expect(clippy::print_stdout, reason = "the result of the program")]
fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("name an eval file")?;
    for line in load(file.into())? {
        println!("{line}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_can_be_used_are_loaded_and_the_others_explained() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("sums.jsonl");
        std::fs::write(
            &file,
            "{\"id\": \"sum\", \"expected_outcome\": \"Says 4\", \"input\": \"What is 2+2?\"}\n\
             {\"id\": \"no-outcome\", \"input\": \"Hello\"}\n",
        )?;
        let lines = load(file)?;
        assert_eq!(
            lines,
            ["skipped: Line 2: missing expected_outcome", "sum: Says 4"]
        );
        Ok(())
    }
}
