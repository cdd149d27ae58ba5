//! The app that pages share: its frame, its style and its scripts.
//!
//! A page shows runs from a *source*: the compressed blocks of a single file, or a server. Everything
//! else is the same script and the same style.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The frame before and after the blocks.
const FRAME: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
/// The scripts of every page, each after those that it uses.
const SHARED: &[&str] = &[
    include_str!("assets/elements.js"),
    include_str!("assets/figures.js"),
    include_str!("assets/filter.js"),
    include_str!("assets/address.js"),
    include_str!("assets/difference.js"),
    include_str!("assets/plots.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/list.js"),
    include_str!("assets/controls.js"),
    include_str!("assets/conversation.js"),
    include_str!("assets/evaluators.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/case.js"),
    include_str!("assets/keys.js"),
    include_str!("assets/app.js"),
];
/// The scripts of a page of runs, without its source.
pub const RUNS: &[&str] = &[
    include_str!("assets/trend_plot.js"),
    include_str!("assets/runs_page.js"),
];
/// The scripts of a page of runs that is one file.
const RUNS_IN_FILE: &[&str] = &[
    include_str!("assets/blocks.js"),
    include_str!("assets/runs_in_file.js"),
    include_str!("assets/trend_plot.js"),
    include_str!("assets/runs_page.js"),
    include_str!("assets/start_runs.js"),
];
/// The scripts of a page of trials that is one file.
const TRIALS_IN_FILE: &[&str] = &[
    include_str!("assets/blocks.js"),
    include_str!("assets/run_links.js"),
    include_str!("assets/trials.js"),
    include_str!("assets/search.js"),
    include_str!("assets/packed_source.js"),
    include_str!("assets/start.js"),
];

/// Returns the style of every page.
pub fn style() -> &'static str {
    STYLE
}

/// Returns the script of a page: what all pages share, then its own parts.
pub fn script_with(own: &[&str]) -> String {
    format!("\"use strict\";\n{}{}", SHARED.concat(), own.concat())
}

/// Returns the frame of a page that a server delivers, with a style and a script of its own address.
pub fn frame_with(style: &str, script: &str) -> String {
    let (head, end) = frame();
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"{{policy}}\">\n";
    let head = head.replace(policy, "").replace(
        "<style>{{style}}</style>",
        &format!("<link rel=\"stylesheet\" href=\"{style}\">"),
    );
    let end = end.replace(
        "<script>{{script}}</script>",
        &format!("<script src=\"{script}\"></script>"),
    );
    head + &end
}

/// Appends a record without its longest texts, and returns the number of values that were cut. A record
/// of usual size is appended unchanged.
pub fn shorten(record: &str, to: &mut Vec<u8>) -> u64 {
    super::cut::append(record, to)
}

/// A page that is a file: its scripts, and the addresses that it may read.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilePage {
    scripts: &'static [&'static str],
    /// True if further blocks are in files beside the page.
    has_files: bool,
}

impl FilePage {
    /// A page of trials.
    pub(super) fn trials(has_files: bool) -> FilePage {
        FilePage {
            scripts: TRIALS_IN_FILE,
            has_files,
        }
    }

    /// A page of runs.
    pub(super) fn runs() -> FilePage {
        FilePage {
            scripts: RUNS_IN_FILE,
            has_files: false,
        }
    }

    /// Writes the page up to its blocks.
    pub(super) fn write_head(self, out: &mut dyn Write) -> io::Result<()> {
        let (head, _) = frame();
        let head = head
            .replace("{{policy}}", &self.policy())
            .replace("{{style}}", STYLE);
        out.write_all(head.as_bytes())
    }

    /// Writes the page after its blocks.
    pub(super) fn write_end(self, out: &mut dyn Write) -> io::Result<()> {
        let (_, end) = frame();
        out.write_all(end.replace("{{script}}", &self.script()).as_bytes())
    }

    /// Returns the whole script.
    pub(super) fn script(self) -> String {
        script_with(self.scripts)
    }

    /// Returns the content security policy: the page can use its own style and its own script,
    /// identified by their digests, and can access nothing outside of itself except its files.
    fn policy(self) -> String {
        let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
        let files = if self.has_files {
            "connect-src 'self'; "
        } else {
            ""
        };
        format!(
            "default-src 'none'; {files}style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            digest(STYLE),
            digest(&self.script()),
        )
    }
}

fn frame() -> (&'static str, &'static str) {
    FRAME.split_once("{{blocks}}\n").unwrap_or((FRAME, ""))
}
