//! Templates that come with a case: filled in bounded time and memory, whoever wrote them.
//!
//! Three bounds together hold: the steps of one filling are counted; each step is cheap, or comes so
//! rarely that it may not be ([`bounds`]); and what filters do is paid for by the byte ([`filters`]).

mod bounds;
mod filters;

use std::fmt;
use std::io;
use std::sync::OnceLock;

use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

const NAME: &str = "template";
/// Steps that one filling may take.
const STEPS: u64 = 1_000_000;
/// The most that a filling may make, in bytes.
const LARGEST: usize = 64 << 20;
const TOO_LARGE: &str = "the text would have more than 64 MiB";

/// What stands for a variable that nothing was given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing.
    Empty,
    /// The template cannot be filled.
    Refused,
}

/// A template of a case: Jinja, without what could make much of little.
#[derive(Debug)]
pub struct Template {
    environment: Environment<'static>,
    variables: Vec<String>,
}

/// Why a template cannot be parsed or filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// The reason, in lower case.
    pub reason: String,
    /// The line within the template, from 1.
    pub line: Option<usize>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line}: {}", self.reason),
            None => formatter.write_str(&self.reason),
        }
    }
}

impl From<minijinja::Error> for TemplateError {
    fn from(error: minijinja::Error) -> TemplateError {
        let reason = match (error.kind(), error.detail()) {
            (minijinja::ErrorKind::OutOfFuel, _) => {
                "filling it takes more than 1,000,000 steps, loop over less".to_owned()
            }
            (_, Some(detail)) => detail.to_owned(),
            (kind, None) => kind.to_string(),
        };
        TemplateError {
            reason,
            line: error.line(),
        }
    }
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// It is none, or has something that could make much of little, or is more than a template may be.
    pub fn parse(source: &str, missing: Missing) -> Result<Template, TemplateError> {
        // First: parsing works out what is constant, and goes as deep as what it reads.
        bounds::check(source)?;
        let mut environment = environment(missing).clone();
        environment.add_template_owned(NAME, source.to_owned())?;
        let used = environment.get_template(NAME)?.undeclared_variables(false);
        let is_known = |name: &str| environment.globals().any(|(known, _)| known == name);
        let mut variables: Vec<String> = used.into_iter().filter(|name| !is_known(name)).collect();
        variables.sort();
        Ok(Template {
            environment,
            variables,
        })
    }

    /// The variables that it uses, in order of their names.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Fills the template with values by name.
    ///
    /// # Errors
    /// The reason, which may be that it takes too many steps, or makes too much.
    pub fn fill(&self, values: impl Serialize) -> Result<String, TemplateError> {
        let mut filled = Bounded::default();
        let template = self.environment.get_template(NAME)?;
        template.render_captured_to(minijinja::value::Serde(values), &mut filled)?;
        String::from_utf8(filled.0).map_err(|error| TemplateError {
            reason: error.to_string(),
            line: None,
        })
    }
}

fn environment(missing: Missing) -> &'static Environment<'static> {
    static LENIENT: OnceLock<Environment<'static>> = OnceLock::new();
    static STRICT: OnceLock<Environment<'static>> = OnceLock::new();
    let (made, behavior) = match missing {
        Missing::Empty => (&LENIENT, UndefinedBehavior::Chainable),
        Missing::Refused => (&STRICT, UndefinedBehavior::Strict),
    };
    made.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(behavior);
        environment.set_fuel(Some(STEPS));
        filters::restrain(&mut environment);
        environment
    })
}

/// A text that is being filled in, as large as it may be.
#[derive(Default)]
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST {
            return Err(io::Error::other(TOO_LARGE));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
