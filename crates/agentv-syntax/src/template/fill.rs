//! A template: parsed, checked, filled.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use minijinja::machinery::{self, CodeGenerator};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::error::{Limit, TemplateError};
use super::filters::FUNCTIONS;
use super::meter::LARGEST;
use super::rewrite::{Rewritten, rewrite};
use super::tags::{TAGS, Untrusted};
use super::{filters, operators, size, tags};

const NAME: &str = "template";
/// Steps that one filling may take.
const STEPS: u64 = 1_000_000;

/// The meaning of a variable that has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It is empty.
    Empty,
    /// The template cannot be filled.
    Refused,
}

/// A template of a case: Jinja with limits.
#[derive(Debug)]
pub struct Template {
    source: String,
    missing: Missing,
    variables: Vec<String>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Fails if the source is not a template, is too large or too deep, has a statement that is not
    /// supported, or names a filter, test or function that does not exist.
    pub fn parse(source: &str, missing: Missing) -> Result<Template, TemplateError> {
        let variables = {
            let parsed = parse(source, &[])?;
            let used = parsed.variables.iter();
            let own = used.filter(|name| !FUNCTIONS.contains(name));
            own.map(|name| (*name).to_owned()).collect()
        };
        Ok(Template {
            source: source.to_owned(),
            missing,
            variables,
        })
    }

    /// Returns the variables that the template uses, in the order of their names.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Fills the template with values by name.
    ///
    /// # Errors
    /// Fails with the reason, such as the limit that was reached.
    pub fn fill(&self, values: impl Serialize) -> Result<String, TemplateError> {
        self.render(Value::from(Serde(values)), &[])
    }

    /// Fills the template with values by name. Text of the untrusted ones is written between tags, also
    /// if it is only a part of the value or has passed a filter.
    ///
    /// # Errors
    /// Fails with the reason, such as the limit that was reached.
    pub fn fill_tagged<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, impl Serialize)>,
        untrusted: &Untrusted<'_>,
    ) -> Result<String, TemplateError> {
        let values = values
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::from(Serde(value))));
        let function = (TAGS.to_owned(), tags::function(untrusted));
        let values: BTreeMap<String, Value> = values.chain([function]).collect();
        self.render(Value::from(values), untrusted.names)
    }

    fn render(&self, values: Value, untrusted: &[&str]) -> Result<String, TemplateError> {
        // Compiled code borrows from the source, so it is made for each filling: microseconds, in front
        // of a call to a model.
        let parsed = parse(&self.source, untrusted)?;
        let mut generator = CodeGenerator::new(NAME, &self.source);
        generator.compile_stmt(&parsed.template);
        let (instructions, blocks) = generator.finish();
        let mut filled = String::new();
        machinery::eval(
            environment(self.missing),
            &instructions,
            values,
            &blocks,
            &mut machinery::make_string_output(&mut filled),
            AutoEscape::None,
        )?;
        if filled.len() > LARGEST {
            return Err(Limit::Output.into());
        }
        Ok(filled)
    }
}

fn parse<'s>(source: &'s str, untrusted: &[&'s str]) -> Result<Rewritten<'s>, TemplateError> {
    size::check(source)?;
    let parsed = machinery::parse(source, NAME, SyntaxConfig::default())?;
    rewrite(&parsed, untrusted)
}

fn environment(missing: Missing) -> &'static Environment<'static> {
    static LENIENT: OnceLock<Environment<'static>> = OnceLock::new();
    static STRICT: OnceLock<Environment<'static>> = OnceLock::new();
    let (made, behavior) = match missing {
        Missing::Empty => (&LENIENT, UndefinedBehavior::Chainable),
        Missing::Refused => (&STRICT, UndefinedBehavior::Strict),
    };
    made.get_or_init(|| {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(behavior);
        environment.set_fuel(Some(STEPS));
        filters::add(&mut environment);
        operators::add(&mut environment);
        tags::add(&mut environment);
        environment
    })
}
