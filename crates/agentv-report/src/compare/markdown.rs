//! A comparison as Markdown, for a comment on a pull request.

use agentv_core::GateOutcome;

use super::comparison::{Comparison, Figures};
use super::families::Member;
use super::judges::DifferentJudges;
use super::labels::label;
use super::pairwise::Pairwise;
use super::run::ComparedRun;
use super::shown_cases::{ShownCase, ShownCases, ShownSide};
use super::wording;
use crate::figures::{count, milliseconds, percent};
use crate::markdown_text::{code, code_in_cell};
use crate::style::Style;

/// The largest size of a comment; GitHub allows 65,536 characters.
const MOST: usize = 65_000;
/// The number of bytes that are shown of a foreign text.
const LONGEST: usize = 300;

const STYLE: Style = Style {
    colour: false,
    width: usize::MAX,
    unicode: true,
};

/// Renders the comparison of two runs.
pub(super) fn of_two(
    comparison: &Comparison<'_>,
    showing: &ShownCases,
    gates: &[GateOutcome],
) -> String {
    let summary = comparison.summary();
    let mut page = Page::default();
    page.line(&format!(
        "### {} {}",
        mark(gates),
        comparison.figures.sentence("A", "B", STYLE)
    ));
    page.targets(&comparison.figures, ["A", "B"]);
    page.totals(&[comparison.a, comparison.b]);
    page.line("");
    for (name, told) in [
        ("matched", wording::matched(summary, ["A", "B"])),
        ("B has", wording::outcomes(summary)),
    ] {
        page.line(&format!(
            "- **{name}:** {}",
            told.join(" · ").replace('<', "&lt;")
        ));
    }
    if let Some(judges) = &summary.different_judges {
        page.judges(judges, ["A", "B"]);
    }
    for (target, told) in wording::statistics(&comparison.figures, STYLE) {
        let of = target.map(|name| format!(" of {}", code(name, LONGEST)));
        page.line(&format!(
            "- **statistics{}:** {}",
            of.unwrap_or_default(),
            told.join(" · ").replace('<', "&lt;")
        ));
    }
    gates.iter().for_each(|gate| page.gate(gate));
    page.family("targets", comparison.targets());
    if comparison.evaluators().len() > 1 {
        page.family("evaluators", comparison.evaluators());
    }
    page.cases("B is worse in", &showing.losses);
    page.cases("B is better in", &showing.wins);
    for (title, names, more) in wording::outside(comparison, ["A", "B"]) {
        let mut names: Vec<String> = names.iter().map(|name| code(name, LONGEST)).collect();
        if more > 0 {
            names.push(format!("{} more", count(more as u64)));
        }
        page.line("");
        page.line(&format!("**{title}:** {}", names.join(", ")));
    }
    page.text
}

/// Renders the comparison of several runs.
pub(super) fn of_several(pairwise: &Pairwise<'_>, gates: &[GateOutcome]) -> String {
    let mut page = Page::default();
    let last = label(pairwise.runs.len().saturating_sub(1));
    let sentence = match pairwise.ends().map(|pair| &pair.figures) {
        Some(Ok(ends)) => ends.sentence("A", &last, STYLE),
        _ => "the runs share no case".to_owned(),
    };
    page.line(&format!("### {} {sentence}", mark(gates)));
    if let Some(Ok(ends)) = pairwise.ends().map(|pair| &pair.figures) {
        page.targets(ends, ["A", &last]);
    }
    page.totals(&pairwise.runs.iter().collect::<Vec<_>>());
    page.line("");
    for ([a, b], judges) in pairwise.different_judges() {
        page.judges(judges, [&a, &b]);
    }
    gates.iter().for_each(|gate| page.gate(gate));
    page.line("");
    page.line("Mean score of each run minus that of each earlier run; * is significant, corrected for the number of pairs.");
    page.line("");
    let runs = pairwise.runs.len();
    let heads: Vec<String> = (0..runs.saturating_sub(1))
        .map(|a| format!("− {}", label(a)))
        .collect();
    page.line(&format!("| | {} |", heads.join(" | ")));
    page.line(&format!("|---|{}", "---:|".repeat(heads.len())));
    for b in 1..runs {
        let cells: Vec<String> = (0..runs - 1)
            .map(|a| {
                let pair = pairwise.pair(a, b);
                pair.map(|pair| wording::cell(pair, STYLE, cell).replace('*', "\\*"))
                    .unwrap_or_default()
            })
            .collect();
        page.line(&format!("| **{}** | {} |", label(b), cells.join(" | ")));
    }
    page.line("");
    page.line("| pair | difference | | |");
    page.line("|---|---:|---|---|");
    let lines = pairwise
        .pairs
        .iter()
        .flat_map(|pair| wording::pair(pair, STYLE));
    for line in lines {
        let target = line.target.map(|name| format!(", {}", cell(&name)));
        let told = [line.difference, line.wins, line.p_value];
        let told = told.map(|told| told.replace('*', "\\*").replace('<', "&lt;"));
        let runs = line.runs + &target.unwrap_or_default();
        page.line(&format!("| {runs} | {} |", told.join(" | ")));
    }
    page.text
}

fn mark(gates: &[GateOutcome]) -> &'static str {
    if gates.iter().all(|gate| gate.met) {
        "✅"
    } else {
        "❌"
    }
}

/// A text that stops growing at the largest size of a comment.
#[derive(Default)]
struct Page {
    text: String,
    is_full: bool,
}

impl Page {
    /// Adds a line, in which foreign text is code. If there is no room, this line and all following
    /// ones are omitted.
    fn line(&mut self, line: &str) {
        let rest = "\n… truncated: the rest does not fit in a comment\n";
        if self.is_full {
            return;
        }
        if self.text.len() + line.len() + rest.len() > MOST {
            self.is_full = true;
            self.text.push_str(rest);
            return;
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Says that runs have different judges.
    fn judges(&mut self, judges: &DifferentJudges, runs: [&str; 2]) {
        let sentence = judges.in_words(runs).replace('<', "&lt;");
        self.line(&format!("- **judges:** {sentence}"));
    }

    /// Adds the result of each target, if runs have several.
    fn targets(&mut self, figures: &Figures, [a, b]: [&str; 2]) {
        let mut before = Some("");
        for (target, sentence) in figures.sentences(a, b, STYLE) {
            before.take().into_iter().for_each(|blank| self.line(blank));
            let sentence = sentence.replace('<', "&lt;");
            self.line(&format!("- {}: {sentence}", code(&target.name, LONGEST)));
        }
    }

    fn totals(&mut self, runs: &[&ComparedRun]) {
        self.line("");
        self.line("| | run | targets | passed | mean | not graded | cost | median |");
        self.line("|---|---|---|---:|---:|---:|---:|---:|");
        for (index, run) in runs.iter().enumerate() {
            let totals = run.totals();
            let targets: Vec<String> = run.targets().iter().map(|name| cell(name)).collect();
            let [pass, graded] = [totals.statuses.pass, totals.statuses.graded()].map(count);
            let passed = match totals.pass_rate {
                Some(rate) => format!("{}, {pass} of {graded}", percent(rate)),
                None if totals.statuses.graded() == 0 => String::new(),
                None => format!("{pass} of {graded}"),
            };
            self.line(&format!(
                "| **{}** | {} | {} | {} | {} | {} | {} | {} |",
                label(index),
                name_of(run),
                targets.join(", "),
                passed,
                totals
                    .mean_score
                    .map(|mean| run.shown_score(mean))
                    .unwrap_or_default(),
                wording::without_grade(&totals.statuses).join(", "),
                totals.costs.in_words().join(", "),
                totals.median_ms.map(milliseconds).unwrap_or_default(),
            ));
        }
    }

    fn gate(&mut self, gate: &GateOutcome) {
        let met = if gate.met { "met" } else { "not met" };
        self.line(&format!(
            "- **gate:** {}: found {} — {met}",
            code(&gate.required, LONGEST),
            code(&gate.found, LONGEST)
        ));
    }

    fn family(&mut self, title: &str, members: &[Member]) {
        if members.is_empty() {
            return;
        }
        self.line("");
        self.line(&format!("| {title} | difference | |"));
        self.line("|---|---:|---|");
        for member in members {
            self.line(&format!(
                "| {} | {} | {} |",
                cell(&wording::member_name(member)),
                wording::delta(member.mean_delta, STYLE),
                wording::member(member, STYLE).replace('<', "&lt;"),
            ));
        }
    }

    fn cases(&mut self, title: &str, cases: &[ShownCase]) {
        if cases.is_empty() {
            return;
        }
        self.line("");
        self.line(&format!("| {title} | difference | A | B |"));
        self.line("|---|---:|---|---|");
        for case in cases {
            let changed = match case.changed {
                Some(true) => ", the case has changed",
                Some(false) | None => "",
            };
            self.line(&format!(
                "| {}{changed} | {} | {} | {} |",
                cell(&case.name),
                wording::delta(case.delta, STYLE),
                side(&case.a),
                side(&case.b),
            ));
        }
    }
}

fn name_of(run: &ComparedRun) -> String {
    let mut name = cell(run.name());
    for (is_so, remark) in [
        (run.is_unfinished(), ", unfinished"),
        (run.is_dry_run(), ", dry run"),
    ] {
        if is_so {
            name.push_str(remark);
        }
    }
    name
}

fn side(side: &ShownSide) -> String {
    let told = format!("{} {}", side.shown_score, side.verdict);
    match side.reason.as_deref().filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{told} {}", cell(reason)),
        None => told,
    }
}

/// Returns a foreign text for a table.
fn cell(text: &str) -> String {
    code_in_cell(text, LONGEST)
}
