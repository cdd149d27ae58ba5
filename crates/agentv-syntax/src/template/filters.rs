//! Filters and tests that pay for the bytes they handle.

use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, tests};

use super::error::Limit;
use super::meter::{LARGEST, Meter, VALUE, weight};
use super::operators::{READ_PER_COPY, list};

/// Filters and functions that make much of little, or fail instead of refusing.
const UNBOUNDED: &[&str] = &[
    "batch", "chain", "format", "indent", "map", "pprint", "slice", "string", "sum", "zip",
];
const UNBOUNDED_FUNCTIONS: &[&str] = &["namespace", "dict", "debug"];

/// Removes filters and functions without bounds from an environment, and makes the rest pay.
pub(super) fn restrain(environment: &mut Environment<'_>) {
    UNBOUNDED
        .iter()
        .for_each(|name| environment.remove_filter(name));
    let functions = UNBOUNDED_FUNCTIONS.iter();
    functions.for_each(|name| environment.remove_global(name));
    for (name, price, function) in filters() {
        environment.add_filter(name, paid(price, function));
    }
    for (name, price, function) in tests() {
        environment.add_test(name, paid(price, function));
    }
    environment.add_filter("replace", replace);
    environment.add_filter("join", join);
    environment.add_filter("tojson", to_json);
}

/// The price of a filter for arguments of that weight.
type Price = fn(weight: u64, arguments: &[Value]) -> u64;

/// Returns the filters that are paid for. One that is not here costs the same for any value: `default`.
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
    match arguments
        .first()
        .is_some_and(|value| value.as_str().is_some())
    {
        true => weight.saturating_mul(VALUE),
        false => weight,
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
