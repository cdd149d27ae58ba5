//! The shapes of values: validation and JSON Schemas both come from them.

use crate::problem::Problem;
use crate::tree::{Node, NodeKind};

/// The forms that a value may have. A value is compared with the first form of its own JSON type.
#[derive(Debug)]
pub struct Shape {
    /// The forms in words, for `expected …, found …`.
    pub expected: &'static str,
    /// The forms, at most one for each JSON type.
    pub forms: &'static [Form],
}

/// One way to write a value.
#[derive(Debug)]
pub enum Form {
    /// Any value at all.
    Any,
    /// `true` or `false`.
    Bool,
    /// A number from `min` to `max`, both included.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Is true if it must be whole.
        integer: bool,
    },
    /// A string.
    Text(Text),
    /// An array with elements of one shape.
    List {
        /// The shape of each element.
        items: &'static Shape,
        /// The smallest number of elements.
        at_least: usize,
    },
    /// An object with known fields.
    Record(&'static Record),
    /// An object with keys of the user's own.
    Map(&'static Shape),
    /// An evaluator: an object whose fields depend on its `type`.
    Evaluator,
    /// A target: an object whose fields depend on its `provider`.
    Target,
    /// A value that must also make sense, such as a regular expression that can be compiled.
    Checked {
        /// The form of the value.
        form: &'static Form,
        /// Returns the problem of a value of that form. Called for every such value of a file, so it must
        /// be quick for a value that comes again.
        check: fn(Node<'_>) -> Option<Problem>,
    },
    /// A value that users try, but that is refused, with advice. Schemas do not mention it.
    Refused {
        /// The JSON type of the value.
        kind: NodeKind,
        /// The advice.
        hint: &'static str,
    },
}

impl Form {
    /// Returns the form without the checks around it.
    pub fn written(&self) -> &Form {
        match self {
            Form::Checked { form, .. } => form.written(),
            other => other,
        }
    }

    /// Checks if values of this JSON type are compared with the form.
    pub(crate) fn takes(&self, kind: NodeKind) -> bool {
        match self.written() {
            Form::Any => true,
            Form::Bool => kind == NodeKind::Bool,
            Form::Number { .. } => kind == NodeKind::Number,
            Form::Text(_) => kind == NodeKind::String,
            Form::List { .. } => kind == NodeKind::Array,
            Form::Record(_) | Form::Map(_) | Form::Evaluator | Form::Target => {
                kind == NodeKind::Object
            }
            Form::Refused { kind: refused, .. } => kind == *refused,
            Form::Checked { .. } => false,
        }
    }
}

/// The strings that a field accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Anything.
    Any,
    /// Anything but the empty string.
    Filled,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// One of these words, or a `${{ NAME }}` reference that stands for a value of the environment.
    Reference(&'static [&'static str]),
    /// The name of an evaluator type.
    EvaluatorType,
    /// The name of an evaluator type that works without options.
    EvaluatorAlone,
    /// The path of a file, relative to the eval file.
    File,
    /// A text, or the path of the file that holds it.
    TextOrFile,
    /// The path of a folder, relative to the eval file.
    Folder,
    /// The path of a folder that is looked up like a file, such as one to copy.
    FolderToCopy,
}

/// Checks if a text in place of a [`Text::TextOrFile`] may be a path. One that is long, or has several
/// lines or a variable of a template, is the text itself.
pub fn may_name_a_file(text: &str) -> bool {
    const LONGEST_PATH: usize = 255;
    text.len() <= LONGEST_PATH && !text.contains('\n') && !text.contains("{{")
}

/// An object with known fields.
#[derive(Debug)]
pub struct Record {
    /// The name of the object in messages and schemas.
    pub name: &'static str,
    /// Every field.
    pub fields: &'static [Field],
    /// The groups of fields that each need at least one field; messages name the first.
    pub required: &'static [&'static [&'static str]],
    /// The treatment of other fields.
    pub others: Others,
}

/// The treatment of a field that a record does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// It is kept, with a warning if its name looks like a typing mistake.
    Keep,
    /// It has no effect, and there is a warning.
    Warn,
    /// It is an error.
    Refuse,
}

/// One field of a record.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: &'static Shape,
    /// Its purpose, a sentence.
    pub doc: &'static str,
}

/// One kind of evaluator or provider: an entry of a registry.
#[derive(Debug)]
pub struct Kind {
    /// The name that users write.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// Its effect, a sentence.
    pub doc: &'static str,
    /// Its own options, in addition to those that all kinds share.
    pub options: Record,
    /// The option that `kind: value` stands for.
    pub shorthand: Option<&'static str>,
}

impl Kind {
    /// Checks if users may call it `name`.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

impl Record {
    /// Returns the field of that name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Any value.
pub static ANY: Shape = Shape {
    expected: "any value",
    forms: &[Form::Any],
};
/// A string.
pub static TEXT: Shape = Shape {
    expected: "a string",
    forms: &[Form::Text(Text::Any)],
};
/// A string with something in it.
pub static FILLED: Shape = Shape {
    expected: "a string that is not empty",
    forms: &[Form::Text(Text::Filled)],
};
/// `true` or `false`.
pub static BOOL: Shape = Shape {
    expected: "true or false",
    forms: &[Form::Bool],
};
/// Any number.
pub static NUMBER: Shape = Shape {
    expected: "a number",
    forms: &[Form::Number {
        min: f64::MIN,
        max: f64::MAX,
        integer: false,
    }],
};
/// A number that is not negative.
pub static AMOUNT: Shape = Shape {
    expected: "a number that is 0 or more",
    forms: &[Form::Number {
        min: 0.0,
        max: f64::MAX,
        integer: false,
    }],
};
/// A number from 0 to 1.
pub static FRACTION: Shape = Shape {
    expected: "a number from 0 to 1",
    forms: &[Form::Number {
        min: 0.0,
        max: 1.0,
        integer: false,
    }],
};
/// A whole number that is not negative.
pub static COUNT: Shape = Shape {
    expected: "a whole number that is 0 or more",
    forms: &[Form::Number {
        min: 0.0,
        max: 9_007_199_254_740_991.0,
        integer: true,
    }],
};
/// A whole number from 1.
pub static POSITIVE: Shape = Shape {
    expected: "a whole number that is 1 or more",
    forms: &[Form::Number {
        min: 1.0,
        max: 9_007_199_254_740_991.0,
        integer: true,
    }],
};
/// An array of strings.
pub static TEXTS: Shape = Shape {
    expected: "an array of strings",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 0,
    }],
};
/// An object with keys of the user's own.
pub static OBJECT: Shape = Shape {
    expected: "an object",
    forms: &[Form::Map(&ANY)],
};
/// One evaluator.
pub static EVALUATOR: Shape = Shape {
    expected: "an evaluator (an object with `type`)",
    forms: &[Form::Evaluator],
};
/// A list of evaluators.
pub static EVALUATORS: Shape = Shape {
    expected: "an array of evaluators",
    forms: &[Form::List {
        items: &EVALUATOR,
        at_least: 0,
    }],
};
