//! The history of runs as a self-contained page.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::RunLine;
use super::listing::{first_and_others, notes, trials, when};
use super::trend::by_target;
use crate::figures::{count, percent, percent_range};
use crate::render::score;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 28.0;

/// The style, light or dark as the reader prefers. Nothing is loaded or executed.
const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1f2328;--faint:#59636e;--line:#d1d9e0;--back:#fff;--rate:#0969da;--score:#9a6700}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--faint:#9198a1;--line:#3d444d;--back:#0d1117;--rate:#4493f8;--score:#d29922}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);max-width:60rem;margin:2rem auto;padding:0 1rem}
svg{width:100%;height:auto}svg text{fill:var(--faint);font-size:12px}
.grid{stroke:var(--line)}.line{fill:none;stroke-width:2}
.rate{stroke:var(--rate);fill:var(--rate)}.score{stroke:var(--score);fill:var(--score)}
.line.rate,.line.score{fill:none}.line.score{stroke-dasharray:6 4}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
.key{display:inline-block;width:1.5em;border-top:2px solid}.key.rate{border-color:var(--rate)}.key.score{border-color:var(--score);border-top-style:dashed}
p{color:var(--faint)}";

/// Renders the page of some runs, oldest first.
pub fn trend_page(runs: &[RunLine]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>agentv trend</title>\n<style>\n{STYLE}\n</style>\n<h1>Trend</h1>\n"
    );
    let files = runs.last().map(|run| first_and_others(&run.files));
    let ids: BTreeSet<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    let runs_in_words = crate::figures::counted(ids.len() as u64, "run", "runs");
    let _ = writeln!(
        page,
        "<p>{runs_in_words} of {} · <span class=\"key rate\"></span> pass rate · <span class=\"key score\"></span> mean score</p>",
        escaped(&files.unwrap_or_default())
    );
    let targets = by_target(runs);
    for (target, runs) in &targets {
        if targets.len() > 1 {
            let _ = writeln!(page, "<h2>{}</h2>", escaped(target));
        }
        chart(&mut page, runs);
    }
    table(&mut page, runs);
    page.push_str("</html>\n");
    page
}

fn chart(page: &mut String, runs: &[RunLine]) {
    let _ = writeln!(
        page,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Pass rate and mean score of each run, oldest first\">"
    );
    for tenths in [0, 25, 50, 75, 100] {
        let y = height(f64::from(tenths) / 100.0);
        let _ = writeln!(
            page,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tenths}%</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0
        );
    }
    curve(
        page,
        runs,
        "score",
        "mean score",
        |run| run.mean_score,
        score,
    );
    curve(
        page,
        runs,
        "rate",
        "pass rate",
        |run| run.pass_rate,
        percent,
    );
    for (at, anchor) in [(0, "start"), (runs.len().saturating_sub(1), "end")] {
        // A single run has a single day.
        let is_shown = anchor == "start" || at > 0;
        if let Some(run) = runs.get(at).filter(|_| is_shown) {
            let day: String = when(run).chars().take(10).collect();
            let _ = writeln!(
                page,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                across(at, runs.len()),
                HEIGHT - 8.0,
                escaped(&day)
            );
        }
    }
    page.push_str("</svg>\n");
}

/// Draws one figure of each run, joined by lines; runs without it leave a gap.
fn curve(
    page: &mut String,
    runs: &[RunLine],
    class: &str,
    name: &str,
    figure: fn(&RunLine) -> Option<f64>,
    show: fn(f64) -> String,
) {
    let mut points: Vec<String> = Vec::new();
    let mut circles = String::new();
    let end_line = |page: &mut String, points: &mut Vec<String>| {
        if points.len() > 1 {
            let _ = writeln!(
                page,
                "<polyline class=\"line {class}\" points=\"{}\"/>",
                points.join(" ")
            );
        }
        points.clear();
    };
    for (at, run) in runs.iter().enumerate() {
        let Some(value) = figure(run) else {
            end_line(page, &mut points);
            continue;
        };
        let (x, y) = (across(at, runs.len()), height(value));
        points.push(format!("{x:.1},{y:.1}"));
        let _ = writeln!(
            circles,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}: {name} {}</title></circle>",
            escaped(&run.id),
            show(value)
        );
    }
    end_line(page, &mut points);
    page.push_str(&circles);
}

/// Returns the horizontal position of a run; a single one is in the middle.
fn across(at: usize, runs: usize) -> f64 {
    let room = WIDTH - LEFT - RIGHT - 16.0;
    match runs {
        0 | 1 => LEFT + 8.0 + room / 2.0,
        several => LEFT + 8.0 + room * at as f64 / (several - 1) as f64,
    }
}

fn height(share: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share.clamp(0.0, 1.0))
}

fn table(page: &mut String, runs: &[RunLine]) {
    page.push_str(
        "<div class=\"wide\"><table>\n<tr><th>run<th>when<th>target<th class=\"number\">trials<th class=\"number\">passed<th class=\"number\">95% interval\
         <th class=\"number\">mean score<th class=\"number\">errors<th class=\"number\">cost<th class=\"number\">judges<th>note</tr>\n",
    );
    for run in runs.iter().rev() {
        let or_dash = |figure: Option<String>| figure.unwrap_or_else(|| "–".to_owned());
        let _ = writeln!(
            page,
            "<tr><td>{}<td>{}<td>{}<td class=\"number\">{}<td class=\"number\">{}<td class=\"number\">{}<td class=\"number\">{}\
             <td class=\"number\">{}<td class=\"number\">{}<td class=\"number\">{}<td>{}</tr>",
            escaped(&run.id),
            escaped(&when(run)),
            escaped(&first_and_others(&run.targets)),
            trials(run).text,
            or_dash(run.pass_rate.map(percent)),
            or_dash(
                run.pass_rate_interval
                    .map(|[low, high]| percent_range(low, high))
            ),
            or_dash(run.mean_score.map(score)),
            count(run.statuses.error),
            or_dash(run.costs.of_answers()).replace('<', "&lt;"),
            or_dash(run.costs.of_judges()).replace('<', "&lt;"),
            escaped(&notes(run).join(" · ")),
        );
    }
    page.push_str("</table></div>\n");
}

/// Escapes a foreign text.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}
