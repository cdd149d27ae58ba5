//! The reasons for which a run needs a target.

/// The reason for which a run needs a target.
#[derive(Clone, Copy)]
pub(super) enum Need<'a> {
    /// The request chose it for all cases.
    Chosen,
    /// Cases of this eval file name it.
    AskedBy(&'a str),
    /// It judges answers to cases of this eval file.
    JudgeOf(&'a str),
}

impl Need<'_> {
    /// Returns the role of the target.
    pub(super) fn role(self) -> &'static str {
        match self {
            Need::Chosen | Need::AskedBy(_) => "target",
            Need::JudgeOf(_) => "judge",
        }
    }

    /// Adds the reason to a sentence about the target.
    pub(super) fn explain(self, sentence: impl std::fmt::Display) -> String {
        match self {
            Need::Chosen => sentence.to_string(),
            Need::AskedBy(file) => format!("{sentence} (target of cases in `{file}`)"),
            Need::JudgeOf(file) => format!("{sentence} (judge of cases in `{file}`)"),
        }
    }
}
