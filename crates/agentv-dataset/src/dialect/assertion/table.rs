//! The kinds of assertions, and the evaluators that they are.

use agentv_syntax::Placed;

use super::assertions::Assertions;
use super::{code, combined, judge, text, trajectory};

/// A kind of assertion.
pub(super) struct Entry {
    /// Its names, with hyphens.
    pub(super) theirs: &'static [&'static str],
    /// The evaluator.
    pub(super) ours: &'static str,
    /// Its options with another name: theirs, ours. The others have the same name.
    pub(super) options: &'static [(&'static str, &'static str)],
    /// The options of ours that are always set.
    pub(super) flags: &'static [&'static str],
    /// Moves everything else; `None` if the assertion cannot be honoured.
    pub(super) rest: Rest,
}

pub(super) type Rest = fn(&mut Assertions<'_, '_>, &mut Placed, &mut Placed) -> Option<()>;

pub(super) const NOTHING: Rest = |_, _, _| Some(());

macro_rules! entries {
    ($name:ident; $([$($theirs:literal)+] => $ours:literal
        $(, options: {$($from:literal => $to:literal),+})?
        $(, flags: [$($flag:literal),+])?
        $(, rest: $rest:expr)?;)+) => {
        static $name: &[$crate::dialect::assertion::table::Entry] = &[$($crate::dialect::assertion::table::Entry {
            theirs: &[$($theirs),+],
            ours: $ours,
            options: &[$($(($from, $to)),+)?],
            flags: &[$($($flag),+)?],
            rest: $crate::dialect::assertion::table::entries!(@rest $($rest)?),
        }),+];
    };
    (@rest) => { $crate::dialect::assertion::table::NOTHING };
    (@rest $rest:expr) => { $rest };
}

pub(super) use entries;

entries! { ENTRIES;
    ["contains"] => "contains", rest: text::plain;
    ["icontains"] => "contains", flags: ["ignore_case"], rest: text::plain;
    ["contains-any"] => "contains_any", rest: text::plain_list;
    ["icontains-any"] => "contains_any", flags: ["ignore_case"], rest: text::plain_list;
    ["contains-all"] => "contains_all", rest: text::plain_list;
    ["icontains-all"] => "contains_all", flags: ["ignore_case"], rest: text::plain_list;
    ["equals"] => "equals", flags: ["trim"], rest: text::plain;
    ["starts-with"] => "starts_with", flags: ["trim"], rest: text::plain;
    ["ends-with"] => "ends_with", flags: ["trim"], rest: text::plain;
    ["regex"] => "regex", rest: text::regex;
    ["is-json"] => "is_json", rest: text::is_json;
    ["contains-json"] => "contains_json", options: {"value" => "schema"};
    ["latency"] => "latency", options: {"max_ms" => "threshold"};
    ["cost"] => "cost", options: {"max_usd" => "budget", "threshold" => "budget"};
    ["token-usage"] => "token_usage", options: {"max_total_tokens" => "max_total", "threshold" => "max_total"};
    ["execution-metrics"] => "execution_metrics";
    ["field-accuracy"] => "field_accuracy";
    ["tool-trajectory"] => "tool_trajectory", rest: trajectory::tool_trajectory;
    ["skill-trigger" "skill-used"] => "skill_used", options: {"value" => "skill"}, rest: trajectory::skill;
    ["word-count"] => "word_count", rest: text::word_count;
    ["llm-grader" "llm-judge" "llm-rubric" "agent-rubric"] => "llm_judge", rest: judge::judge;
    ["rubrics" "rubric"] => "rubric", rest: judge::rubrics;
    ["code-grader" "code-judge" "script"] => "code_judge", rest: code::code;
    ["composite"] => "composite", rest: combined::composite;
    ["assert-set"] => "composite", rest: combined::assert_set;
    ["trajectory:tool-used"] => "tool_trajectory", rest: trajectory::used;
    ["trajectory:tool-sequence"] => "tool_trajectory", rest: trajectory::sequence;
    ["trajectory:tool-args-match"] => "tool_trajectory", rest: trajectory::arguments;
    ["trajectory:step-count"] => "execution_metrics", rest: trajectory::steps;
    ["trajectory:goal-success"] => "llm_judge", rest: judge::goal;
}

/// Returns the entry of a kind, by its name with hyphens.
pub(super) fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.theirs.contains(&name))
}

/// Returns all names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ENTRIES
        .iter()
        .flat_map(|entry| entry.theirs.iter().copied())
}
