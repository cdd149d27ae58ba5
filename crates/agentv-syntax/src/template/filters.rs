//! Filters and tests of templates, paid for by the byte.

use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, tests};

use super::{LARGEST, TOO_LARGE};

/// What the filters and tests of one filling may handle together, in bytes.
const MOST_HANDLED: u64 = 128 << 20;
/// What a value costs beside the text in it: about the memory that it takes in a list.
const VALUE: u64 = 32;
/// Values within values that are looked into.
const DEEPEST: usize = 200;
const HANDLED: &str = "handled";
const TOO_MUCH: &str = "filters have more than 128 MiB to do, use fewer of them and none on long texts inside of a `{% for %}`";

/// Filters and functions that make much of little, or fail where they should refuse.
const UNBOUNDED: &[&str] = &[
    "batch", "chain", "format", "indent", "map", "pprint", "slice", "string", "sum", "zip",
];
const UNBOUNDED_FUNCTIONS: &[&str] = &["namespace", "dict", "debug"];

/// Leaves out of an environment what has no bounds, and makes the rest pay.
pub(super) fn restrain(environment: &mut Environment<'_>) {
    UNBOUNDED
        .iter()
        .for_each(|name| environment.remove_filter(name));
    let functions = UNBOUNDED_FUNCTIONS.iter();
    functions.for_each(|name| environment.remove_global(name));
    for (name, price, function) in filters() {
        environment.add_filter(name, paid(price, function));
    }
    for (name, function) in tests() {
        environment.add_test(name, paid(fourfold, function));
    }
    environment.add_filter("replace", replace);
    environment.add_filter("join", join);
    environment.add_filter("tojson", to_json);
}

/// What a filter costs for its arguments, which weigh as much as is said.
type Price = fn(weight: u64, arguments: &[Value]) -> u64;

/// The filters that are paid for. What is not here does the same for any value: `default`.
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

/// The tests that look at more than what kind of value it is.
fn tests() -> Vec<(&'static str, Value)> {
    macro_rules! all {
        ($($($name:literal)+ => $function:ident,)*) => {
            vec![$($(($name, Value::from_function(tests::$function)),)+)*]
        };
    }
    all![
        "eq" "equalto" "==" => is_eq, "ne" "!=" => is_ne,
        "lt" "lessthan" "<" => is_lt, "le" "<=" => is_le,
        "gt" "greaterthan" ">" => is_gt, "ge" ">=" => is_ge,
        "in" => is_in, "lower" => is_lower, "upper" => is_upper, "sameas" => is_sameas,
        "startingwith" => is_startingwith, "endingwith" => is_endingwith,
    ]
}

fn as_it_is(weight: u64, _: &[Value]) -> u64 {
    weight
}

/// A letter may become several, or be looked at several times, or a value become a pair.
fn fourfold(weight: u64, _: &[Value]) -> u64 {
    weight.saturating_mul(4)
}

/// A character may become `&quot;`.
fn eightfold(weight: u64, _: &[Value]) -> u64 {
    weight.saturating_mul(8)
}

/// Each value may be compared as often as there are doublings up to the number of them.
fn compared(weight: u64, arguments: &[Value]) -> u64 {
    in_characters(weight, arguments).saturating_mul(u64::from((weight | 1).ilog2()) + 1)
}

/// Each character may be looked for in the second argument.
fn trimmed(weight: u64, arguments: &[Value]) -> u64 {
    let looked_for = arguments.get(1).and_then(Value::as_str);
    weight.saturating_mul(1 + looked_for.map_or(0, |text| text.len() as u64))
}

/// A text becomes a list of its characters.
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

/// The function, which is called when its price was paid.
fn paid(
    price: Price,
    function: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static
{
    move |state, arguments| {
        let arguments = arguments.into_values();
        let weight = weight(&arguments)?;
        pay(state, price(weight, &arguments))?;
        function.call(state, &arguments)
    }
}

/// Counts what is handled, and refuses when it becomes too much.
fn pay(state: &mut State<'_, '_>, price: u64) -> Result<(), Error> {
    let handled = state.get_temp(HANDLED).and_then(|value| value.as_i64());
    let handled = handled.unwrap_or(0).cast_unsigned().saturating_add(price);
    if handled > MOST_HANDLED {
        return Err(refused(TOO_MUCH));
    }
    state.set_temp(HANDLED, Value::from(handled));
    Ok(())
}

fn weight(values: &[Value]) -> Result<u64, Error> {
    let mut weight = 0;
    let mut values = values.iter();
    values.try_for_each(|value| weigh(value, &mut weight, 0))?;
    Ok(weight)
}

/// Adds what a value holds to `weight`, as far as that can be paid for.
fn weigh(value: &Value, weight: &mut u64, depth: usize) -> Result<(), Error> {
    *weight += VALUE + value.as_str().map_or(0, |text| text.len() as u64);
    if *weight > MOST_HANDLED || depth > DEEPEST {
        return Err(refused(TOO_MUCH));
    }
    let kind = value.kind();
    if !matches!(kind, ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        return Ok(());
    }
    for item in value.try_iter()? {
        weigh(&item, weight, depth + 1)?;
        if kind == ValueKind::Map {
            weigh(&value.get_item(&item)?, weight, depth + 1)?;
        }
    }
    Ok(())
}

fn refused(reason: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, reason)
}

/// Without the indentation that the filter of this name takes elsewhere.
fn to_json(state: &mut State<'_, '_>, value: Value) -> Result<String, Error> {
    let weight = weight(std::slice::from_ref(&value))?;
    pay(state, eightfold(weight, &[]))?;
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
        return Err(refused("`replace` takes texts: what, and by what"));
    };
    pay(state, text.len() as u64)?;
    let added = text.matches(from).count().saturating_mul(to.len());
    let length = added.saturating_add(text.len());
    if length > LARGEST {
        return Err(refused(TOO_LARGE));
    }
    pay(state, length as u64)?;
    Ok(text.replace(from, to))
}

fn join(state: &mut State<'_, '_>, values: Value, between: Option<Value>) -> Result<String, Error> {
    let between = between.as_ref().and_then(Value::as_str).unwrap_or_default();
    let values = [values];
    pay(state, in_characters(weight(&values)?, &values))?;
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
            return Err(refused(TOO_LARGE));
        }
    }
    pay(state, joined.len() as u64)?;
    Ok(joined)
}
