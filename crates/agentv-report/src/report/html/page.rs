//! The frame of the page: its style, and the script that shows the blocks.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The frame before and after the blocks.
const FRAME: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
/// The scripts, each after those that it uses.
const SCRIPTS: &[&str] = &[
    include_str!("assets/elements.js"),
    include_str!("assets/figures.js"),
    include_str!("assets/blocks.js"),
    include_str!("assets/trials.js"),
    include_str!("assets/filter.js"),
    include_str!("assets/address.js"),
    include_str!("assets/search.js"),
    include_str!("assets/difference.js"),
    include_str!("assets/plots.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/list.js"),
    include_str!("assets/controls.js"),
    include_str!("assets/conversation.js"),
    include_str!("assets/evaluators.js"),
    include_str!("assets/case.js"),
    include_str!("assets/keys.js"),
    include_str!("assets/start.js"),
];

/// Writes the page up to its blocks.
pub(super) fn write_head(out: &mut dyn Write) -> io::Result<()> {
    let (head, _) = frame();
    let head = head
        .replace("{{policy}}", &policy())
        .replace("{{style}}", STYLE);
    out.write_all(head.as_bytes())
}

/// Writes the page after its blocks.
pub(super) fn write_end(out: &mut dyn Write) -> io::Result<()> {
    let (_, end) = frame();
    out.write_all(end.replace("{{script}}", &script()).as_bytes())
}

fn frame() -> (&'static str, &'static str) {
    FRAME.split_once("{{blocks}}\n").unwrap_or((FRAME, ""))
}

/// Returns the whole script.
pub(super) fn script() -> String {
    format!("\"use strict\";\n{}", SCRIPTS.concat())
}

/// Returns the content security policy: the page can use its own style and its own script,
/// identified by their digests, and can access nothing outside of itself.
fn policy() -> String {
    let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(&script()),
    )
}
