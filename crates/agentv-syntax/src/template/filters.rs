//! The filters, tests and functions of templates, which pay for the bytes they handle.

use std::sync::LazyLock;

use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, functions, tests};

use super::error::Limit;
use super::meter::{LARGEST, Meter, VALUE, weight};
use super::operators::{READ_PER_COPY, list};

/// The functions of templates.
pub(super) const FUNCTIONS: &[&str] = &["range"];

/// Adds the filters, tests and functions whose memory is bounded to an empty environment, and makes
/// those pay whose cost depends on their values.
pub(super) fn add(environment: &mut Environment<'_>) {
    for (name, price, function) in filters() {
        environment.add_filter(name, paid(price, function));
    }
    for (name, price, function) in tests() {
        environment.add_test(name, paid(price, function));
    }
    add_tests_of_kind(environment);
    environment.add_filter("default", filters::default);
    environment.add_filter("d", filters::default);
    environment.add_filter("replace", replace);
    environment.add_filter("after", after);
    environment.add_filter("before", before);
    environment.add_filter("join", join);
    environment.add_filter("tojson", to_json);
    environment.add_function("range", functions::range);
}

/// Returns the names of all filters.
pub(super) fn filter_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let paid = filters().into_iter().map(|(name, ..)| name);
        let others = [
            "default", "d", "replace", "after", "before", "join", "tojson",
        ];
        paid.chain(others).collect()
    });
    &NAMES
}

/// Returns the names of all tests.
pub(super) fn test_names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let paid = tests().into_iter().map(|(name, ..)| name);
        paid.chain(TESTS_OF_KIND.iter().copied()).collect()
    });
    &NAMES
}

/// The price of a filter for arguments of that weight.
type Price = fn(weight: u64, arguments: &[Value]) -> u64;

/// Returns the filters that are paid for.
fn filters() -> Vec<(&'static str, Price, Value)> {
    macro_rules! all {
        ($($name:literal $price:ident $function:ident,)*) => {
            vec![$(($name, $price as Price, Value::from_function(filters::$function)),)*]
        };
    }
    all![
        "safe" as_it_is safe, "escape" eightfold escape, "e" eightfold escape,
        "lower" fourfold lower, "upper" fourfold upper, "title" fourfold title,
        "capitalize" fourfold capitalize, "length" as_it_is length, "count" as_it_is length,
        "items" fourfold items, "reverse" fourfold reverse, "trim" trimmed trim,
        "split" in_parts split, "lines" in_lines lines, "list" in_characters list,
        "round" as_it_is round, "abs" as_it_is abs, "int" as_it_is int, "float" as_it_is float,
        "bool" as_it_is bool, "attr" as_it_is attr, "first" as_it_is first, "last" as_it_is last,
        "min" compared min, "max" compared max, "sort" compared sort, "unique" compared unique,
        "dictsort" compared dictsort, "groupby" compared groupby,
        "select" fourfold select, "reject" fourfold reject,
        "selectattr" fourfold selectattr, "rejectattr" fourfold rejectattr,
    ]
}

macro_rules! tests_of_kind {
    ($($name:literal $function:ident,)*) => {
        /// The tests that look only at the kind of a value, or at a number.
        const TESTS_OF_KIND: &[&str] = &[$($name,)*];

        fn add_tests_of_kind(environment: &mut Environment<'_>) {
            $(environment.add_test($name, tests::$function);)*
        }
    };
}

tests_of_kind! {
    "defined" is_defined, "undefined" is_undefined, "none" is_none, "boolean" is_boolean,
    "true" is_true, "false" is_false, "number" is_number, "integer" is_integer,
    "int" is_integer, "float" is_float, "odd" is_odd, "even" is_even,
    "divisibleby" is_divisibleby, "string" is_string, "sequence" is_sequence,
    "iterable" is_iterable, "mapping" is_mapping, "safe" is_safe, "escaped" is_safe,
}

/// Returns the tests that look at more than the kind of a value.
fn tests() -> Vec<(&'static str, Price, Value)> {
    macro_rules! all {
        ($($($name:literal)+ => $price:ident $function:ident,)*) => {
            vec![$($(($name, $price as Price, Value::from_function(tests::$function)),)+)*]
        };
    }
    all![
        "eq" "equalto" "==" => read is_eq, "ne" "!=" => read is_ne,
        "lt" "lessthan" "<" => read is_lt, "le" "<=" => read is_le,
        "gt" "greaterthan" ">" => read is_gt, "ge" ">=" => read is_ge,
        "in" => read is_in, "sameas" => read is_sameas,
        "startingwith" => read is_startingwith, "endingwith" => read is_endingwith,
        "lower" => fourfold is_lower, "upper" => fourfold is_upper,
    ]
}

/// The price of comparing or searching.
fn read(weight: u64, _: &[Value]) -> u64 {
    weight / READ_PER_COPY
}

fn as_it_is(weight: u64, _: &[Value]) -> u64 {
    weight
}

/// The price if a letter may become several, or be read several times, or a value become a pair.
fn fourfold(weight: u64, _: &[Value]) -> u64 {
    weight.saturating_mul(4)
}

/// The price if a character may become `&quot;`.
fn eightfold(weight: u64, _: &[Value]) -> u64 {
    weight.saturating_mul(8)
}

/// The price of sorting.
fn compared(weight: u64, arguments: &[Value]) -> u64 {
    in_characters(weight, arguments).saturating_mul(u64::from((weight | 1).ilog2()) + 1)
}

/// The price if each character is searched for in the second argument.
fn trimmed(weight: u64, arguments: &[Value]) -> u64 {
    let looked_for = arguments.get(1).and_then(Value::as_str);
    weight.saturating_mul(1 + looked_for.map_or(0, |text| text.len() as u64))
}

/// The price if a text becomes a list of its characters.
fn in_characters(weight: u64, arguments: &[Value]) -> u64 {
    let first = arguments.first();
    if first.is_some_and(|value| value.as_str().is_some()) {
        weight.saturating_mul(VALUE)
    } else {
        weight
    }
}

fn in_lines(weight: u64, arguments: &[Value]) -> u64 {
    let text = arguments
        .first()
        .and_then(Value::as_str)
        .unwrap_or_default();
    weight + VALUE * text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

fn in_parts(weight: u64, arguments: &[Value]) -> u64 {
    let text = arguments
        .first()
        .and_then(Value::as_str)
        .unwrap_or_default();
    match arguments.get(1).and_then(Value::as_str) {
        Some(between) => weight + VALUE * text.matches(between).count() as u64,
        None => in_characters(weight, arguments),
    }
}

/// Returns a function that pays the price and then calls `function`.
fn paid(
    price: Price,
    function: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static
{
    move |state, arguments| {
        let arguments = arguments.into_values();
        let weight = weight(&arguments)?;
        Meter::of(state).handle(price(weight, &arguments))?;
        let result = function.call(state, &arguments)?;
        list(state, result)
    }
}

fn refused(reason: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}

/// Writes JSON without indentation, which could be of any width.
fn to_json(state: &mut State<'_, '_>, value: Value) -> Result<String, Error> {
    let weight = weight(std::slice::from_ref(&value))?;
    Meter::of(state).handle(eightfold(weight, &[]))?;
    let json = serde_json::to_string(&value);
    json.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

fn replace(
    state: &mut State<'_, '_>,
    text: Value,
    from: Value,
    to: Value,
) -> Result<String, Error> {
    let (Some(text), Some(from), Some(to)) = (text.as_str(), from.as_str(), to.as_str()) else {
        return Err(refused(
            "`replace` takes two texts: the old and the new one",
        ));
    };
    Meter::of(state).handle(text.len() as u64)?;
    let added = text.matches(from).count().saturating_mul(to.len());
    let length = added.saturating_add(text.len());
    if length > LARGEST {
        return Err(Limit::Output.into());
    }
    Meter::of(state).handle(length as u64)?;
    Ok(text.replace(from, to))
}

/// Returns the part of a text after the first occurrence of a mark.
fn after(state: &mut State<'_, '_>, text: Value, mark: Value) -> Result<String, Error> {
    parted(state, &text, &mark).map(|(_, after)| after)
}

/// Returns the part of a text before the first occurrence of a mark.
fn before(state: &mut State<'_, '_>, text: Value, mark: Value) -> Result<String, Error> {
    parted(state, &text, &mark).map(|(before, _)| before)
}

fn parted(
    state: &mut State<'_, '_>,
    text: &Value,
    mark: &Value,
) -> Result<(String, String), Error> {
    let (Some(text), Some(mark)) = (text.as_str(), mark.as_str()) else {
        return Err(refused("`after` and `before` take a text and a mark in it"));
    };
    Meter::of(state).handle(text.len() as u64)?;
    let parts = text.split_once(mark);
    let (before, after) = parts.ok_or_else(|| refused("the text does not contain the mark"))?;
    Ok((before.to_owned(), after.to_owned()))
}

fn join(state: &mut State<'_, '_>, values: Value, between: Option<Value>) -> Result<String, Error> {
    let between = between.as_ref().and_then(Value::as_str).unwrap_or_default();
    let values = [values];
    Meter::of(state).handle(in_characters(weight(&values)?, &values))?;
    let mut joined = String::new();
    for (index, value) in values[0].try_iter()?.enumerate() {
        if matches!(
            value.kind(),
            ValueKind::Seq | ValueKind::Map | ValueKind::Iterable
        ) {
            return Err(refused("only texts and numbers can be joined"));
        }
        if index > 0 {
            joined.push_str(between);
        }
        joined.push_str(&value.to_string());
        if joined.len() > LARGEST {
            return Err(Limit::Output.into());
        }
    }
    Meter::of(state).handle(joined.len() as u64)?;
    Ok(joined)
}
