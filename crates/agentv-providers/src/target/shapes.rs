//! Shapes of values that are written in `targets.yaml`, or come from the environment by a `${{ NAME }}`
//! reference.

use agentv_syntax::shape::TEXT;
use agentv_syntax::{Form, Shape, Text};

const REFERENCE: Form = Form::Text(Text::Reference(&[]));
const WHOLE_LIMIT: f64 = 9_007_199_254_740_991.0;

/// `true` or `false`.
pub(crate) static BOOL: Shape = Shape {
    expected: "true or false, or a `${{ NAME }}` reference",
    forms: &[Form::Bool, REFERENCE],
};

/// A whole number that is not negative.
pub(crate) static COUNT: Shape = Shape {
    expected: "a whole number that is 0 or more, or a `${{ NAME }}` reference",
    forms: &[
        Form::Number {
            min: 0.0,
            max: WHOLE_LIMIT,
            integer: true,
        },
        REFERENCE,
    ],
};

/// A whole number from 1.
pub(crate) static POSITIVE: Shape = Shape {
    expected: "a whole number that is 1 or more, or a `${{ NAME }}` reference",
    forms: &[
        Form::Number {
            min: 1.0,
            max: WHOLE_LIMIT,
            integer: true,
        },
        REFERENCE,
    ],
};

/// A number that is not negative.
pub(crate) static AMOUNT: Shape = Shape {
    expected: "a number that is 0 or more, or a `${{ NAME }}` reference",
    forms: &[
        Form::Number {
            min: 0.0,
            max: f64::MAX,
            integer: false,
        },
        REFERENCE,
    ],
};

/// A factor that is 1 or more.
pub(crate) static FACTOR: Shape = Shape {
    expected: "a number that is 1 or more, or a `${{ NAME }}` reference",
    forms: &[
        Form::Number {
            min: 1.0,
            max: f64::MAX,
            integer: false,
        },
        REFERENCE,
    ],
};

/// A time in seconds, at least a millisecond.
pub(crate) static SECONDS: Shape = Shape {
    expected: "a number of seconds that is 0.001 or more, or a `${{ NAME }}` reference",
    forms: &[
        Form::Number {
            min: 0.001,
            max: f64::MAX,
            integer: false,
        },
        REFERENCE,
    ],
};

/// HTTP status codes.
pub(crate) static STATUS_CODES: Shape = Shape {
    expected: "an array of HTTP status codes",
    forms: &[Form::List {
        items: &STATUS_CODE,
        at_least: 0,
    }],
};

static STATUS_CODE: Shape = Shape {
    expected: "a whole number from 100 to 599, or a `${{ NAME }}` reference",
    forms: &[
        Form::Number {
            min: 100.0,
            max: 599.0,
            integer: true,
        },
        REFERENCE,
    ],
};

/// Environment variables.
pub(crate) static VARIABLES: Shape = Shape {
    expected: "an object that maps names of variables to strings",
    forms: &[Form::Map(&TEXT)],
};

/// HTTP headers.
pub(crate) static HEADERS: Shape = Shape {
    expected: "an object that maps header names to strings",
    forms: &[Form::Map(&TEXT)],
};

/// The path of a folder.
pub(crate) static FOLDER: Shape = Shape {
    expected: "the path of a folder",
    forms: &[Form::Text(Text::Folder)],
};
