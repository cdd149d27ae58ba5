//! Values as JSON in memory: the bytes that `serde_json` writes, with long texts copied instead of walked through.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Error, Result};

/// The name under which `serde_json` serialises JSON that is written as it is.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Appends the JSON of a value to `buffer`: the same bytes as `serde_json::to_writer` appends.
///
/// ```
/// let mut json = Vec::new();
/// agentv_core::append_json(&mut json, &("a \"b\"", 2.5))?;
/// assert_eq!(json, br#"["a \"b\"",2.5]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Fails if the value refuses to be serialised, or has keys that are not texts, numbers or booleans.
pub fn append_json<T: Serialize + ?Sized>(buffer: &mut Vec<u8>, value: &T) -> Result<()> {
    value.serialize(JsonWriter { buffer })
}

/// Writes one value.
struct JsonWriter<'b> {
    buffer: &'b mut Vec<u8>,
}

/// Writes the items of a list or the fields of an object.
struct Items<'b> {
    buffer: &'b mut Vec<u8>,
    is_empty: bool,
    /// The brackets that end it.
    end: &'static str,
}

impl<'b> Items<'b> {
    fn begin(buffer: &'b mut Vec<u8>, start: &str, end: &'static str) -> Items<'b> {
        buffer.extend_from_slice(start.as_bytes());
        Items {
            buffer,
            is_empty: true,
            end,
        }
    }

    /// Begins the list or object of an enum's variant.
    fn begin_variant(
        buffer: &'b mut Vec<u8>,
        variant: &str,
        start: &str,
        end: &'static str,
    ) -> Items<'b> {
        buffer.push(b'{');
        append_text(buffer, variant);
        buffer.push(b':');
        Items::begin(buffer, start, end)
    }

    fn separate(&mut self) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.buffer.push(b',');
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.separate();
        append_json(self.buffer, value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.separate();
        append_text(self.buffer, key);
        self.buffer.push(b':');
        append_json(self.buffer, value)
    }

    fn finish(self) -> Result<()> {
        self.buffer.extend_from_slice(self.end.as_bytes());
        Ok(())
    }
}

/// Appends a text in quotes.
fn append_text(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = find_escaped(rest) {
        buffer.extend_from_slice(&rest[..at]);
        append_escaped(buffer, rest[at]);
        rest = &rest[at + 1..];
    }
    buffer.extend_from_slice(rest);
    buffer.push(b'"');
}

/// Returns the place of the first byte that cannot be in a JSON text as it is.
fn find_escaped(bytes: &[u8]) -> Option<usize> {
    let place = |stops: u64| stops.trailing_zeros() as usize / 8;
    for (index, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let stops = escaped_in(*word);
        if stops != 0 {
            return Some(index * 8 + place(stops));
        }
    }
    if let Some(last) = bytes.last_chunk::<8>() {
        // The first of these were looked at before.
        let stops = escaped_in(*last);
        return (stops != 0).then(|| bytes.len() - 8 + place(stops));
    }
    let is_escaped = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    bytes.iter().position(is_escaped)
}

/// Marks the highest bit of (at least) the first byte that cannot be in a JSON text as it is.
fn escaped_in(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let word = u64::from_le_bytes(bytes);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | is(b'"') | is(b'\\')) & HIGHS
}

fn append_escaped(buffer: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let letter = match byte {
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        control => {
            let digits = [control >> 4, control & 0xf].map(|digit| DIGITS[usize::from(digit)]);
            buffer.extend_from_slice(b"\\u00");
            buffer.extend_from_slice(&digits);
            return;
        }
    };
    buffer.extend_from_slice(&[b'\\', letter]);
}

/// Numbers and booleans, as `serde_json` writes them.
macro_rules! as_serde_json {
    ($($method:ident: $kind:ty),* $(,)?) => {
        $(fn $method(self, value: $kind) -> Result<()> {
            serde_json::to_writer(self.buffer, &value)
        })*
    };
}

impl<'b> Serializer for JsonWriter<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'b>;
    type SerializeTuple = Items<'b>;
    type SerializeTupleStruct = Items<'b>;
    type SerializeTupleVariant = Items<'b>;
    type SerializeMap = Items<'b>;
    type SerializeStruct = Fields<'b>;
    type SerializeStructVariant = Items<'b>;

    as_serde_json!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32,
        serialize_u64: u64, serialize_u128: u128, serialize_f32: f32, serialize_f64: f64,
    );

    fn serialize_bool(self, value: bool) -> Result<()> {
        let text = if value { "true" } else { "false" };
        self.buffer.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        append_text(self.buffer, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.buffer.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let mut fields = Items::begin(self.buffer, "{", "}");
        fields.field(variant, value)?;
        fields.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'b>> {
        Ok(Items::begin(self.buffer, "[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'b>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'b>> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'b>> {
        Ok(Items::begin_variant(self.buffer, variant, "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'b>> {
        Ok(Items::begin(self.buffer, "{", "}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'b>> {
        Ok(match name {
            RAW_VALUE => Fields::Raw(self.buffer),
            _ => Fields::Plain(Items::begin(self.buffer, "{", "}")),
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'b>> {
        Ok(Items::begin_variant(self.buffer, variant, "{", "}}"))
    }
}

impl SerializeSeq for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeTuple for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeTupleStruct for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeTupleVariant for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.item(value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeMap for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.separate();
        let start = self.buffer.len();
        append_json(self.buffer, key)?;
        match self.buffer.get(start) {
            Some(b'"') => Ok(()),
            Some(b'0'..=b'9' | b'-' | b't' | b'f') => {
                self.buffer.insert(start, b'"');
                self.buffer.push(b'"');
                Ok(())
            }
            _ => Err(Error::custom("key must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.buffer.push(b':');
        append_json(self.buffer, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeStructVariant for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(key, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

/// Writes the fields of a struct.
enum Fields<'b> {
    Plain(Items<'b>),
    /// The one field is JSON that is written as it is.
    Raw(&'b mut Vec<u8>),
}

impl SerializeStruct for Fields<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        match self {
            Fields::Plain(fields) => fields.field(key, value),
            Fields::Raw(buffer) => {
                let json = serde_json::to_value(value)?;
                buffer.extend_from_slice(json.as_str().unwrap_or_default().as_bytes());
                Ok(())
            }
        }
    }

    fn end(self) -> Result<()> {
        match self {
            Fields::Plain(fields) => fields.finish(),
            Fields::Raw(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::append_json;

    #[derive(Serialize)]
    enum Kind {
        Unit,
        Newtype(u8),
        Tuple(i8, char),
        Fields {
            text: &'static str,
            none: Option<u8>,
        },
    }

    #[derive(Serialize)]
    struct Everything<'a> {
        kinds: [Kind; 4],
        numbers: (u64, i64, f64, f32, u128),
        not_finite: f64,
        unit: (),
        flags: Vec<bool>,
        by_number: BTreeMap<i32, &'a str>,
        by_flag: BTreeMap<bool, ()>,
        empty: BTreeMap<String, u8>,
        raw: Box<RawValue>,
        #[serde(flatten)]
        further: &'a Value,
    }

    fn assert_same<T: Serialize>(value: &T) {
        let mut json = b"before ".to_vec();
        append_json(&mut json, value).unwrap();
        let expected = format!("before {}", serde_json::to_string(value).unwrap());
        assert_eq!(String::from_utf8(json).unwrap(), expected);
    }

    #[test]
    fn every_form_of_a_value_is_written_as_serde_json_writes_it() {
        let fields = Kind::Fields {
            text: "a\nb",
            none: None,
        };
        assert_same(&Everything {
            kinds: [Kind::Unit, Kind::Newtype(1), Kind::Tuple(-1, '"'), fields],
            numbers: (u64::MAX, i64::MIN, 0.1 + 0.2, 1e-7, u128::MAX),
            not_finite: f64::NAN,
            unit: (),
            flags: vec![true, false],
            by_number: [(-1, "a"), (2, "b")].into(),
            by_flag: [(true, ())].into(),
            empty: BTreeMap::new(),
            raw: RawValue::from_string("{ \"a\" : 1.50 }".to_owned()).unwrap(),
            further: &json!({"a": [], "b": {}, "c": [null, 1.0, "x"]}),
        });
    }

    #[test]
    fn a_list_as_a_key_is_refused() {
        let map: BTreeMap<Vec<u8>, u8> = [(vec![1], 1)].into();
        assert!(append_json(&mut Vec::new(), &map).is_err());
        assert!(serde_json::to_string(&map).is_err());
    }

    #[test]
    fn every_byte_at_every_place_is_escaped_as_serde_json_escapes_it() {
        for letter in (0..=0x7f).map(char::from).chain(['é', '–', '😀']) {
            for before in 0..40 {
                assert_same(&format!(
                    "{}{letter}{}",
                    "a".repeat(before),
                    "b".repeat(before % 7)
                ));
            }
        }
    }

    proptest! {
        #[test]
        fn any_texts_are_written_as_serde_json_writes_them(texts in prop::collection::vec(any::<String>(), 0..5)) {
            assert_same(&texts);
        }
    }
}
