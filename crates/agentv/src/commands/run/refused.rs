//! Why a run does not begin.

use agentv_syntax::Diagnostic;

use crate::diagnostics::Teller;
use crate::exit::Exit;
use crate::output;

/// Why a run does not begin.
#[derive(Debug)]
pub(crate) struct Refused {
    exit: Exit,
    because: Vec<Because>,
}

#[derive(Debug)]
enum Because {
    Sentence(String, Option<String>),
    Diagnostic(Box<Diagnostic>),
}

impl Refused {
    /// What is wrong was told already.
    pub(crate) fn told() -> Refused {
        Refused {
            exit: Exit::Unusable,
            because: Vec::new(),
        }
    }

    pub(crate) fn because(message: impl Into<String>) -> Refused {
        let sentence = Because::Sentence(message.into(), None);
        Refused {
            because: vec![sentence],
            ..Refused::told()
        }
    }

    pub(crate) fn with_hint(
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) -> Refused {
        let sentence = Because::Sentence(message.into(), hint.into());
        Refused {
            because: vec![sentence],
            ..Refused::told()
        }
    }

    pub(crate) fn diagnostics(diagnostics: Vec<Diagnostic>) -> Refused {
        let because = diagnostics
            .into_iter()
            .map(Box::new)
            .map(Because::Diagnostic);
        Refused {
            because: because.collect(),
            ..Refused::told()
        }
    }

    /// Something could not be written.
    pub(crate) fn not_written(message: impl Into<String>) -> Refused {
        Refused {
            exit: Exit::NotWritten,
            ..Refused::because(message)
        }
    }

    /// Says why, and gives the exit code.
    pub(crate) fn tell(self) -> Exit {
        let teller = Teller::for_checking();
        for because in self.because {
            match because {
                Because::Sentence(message, hint) => output::error(&message, hint.as_deref()),
                Because::Diagnostic(diagnostic) => teller.tell_error(&diagnostic),
            }
        }
        self.exit
    }
}
