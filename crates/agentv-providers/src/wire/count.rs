//! Numbers of tokens, as leniently as vendors write them.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A number of tokens; nothing if the vendor wrote something else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) Option<u64>);

impl Count {
    /// Returns the number, if it is not zero.
    pub(crate) fn some(self) -> Option<u64> {
        self.0.filter(|count| *count > 0)
    }

    /// Returns the number, or the earlier one if there is none.
    pub(crate) fn or(self, earlier: Count) -> Count {
        Count(self.0.or(earlier.0))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a number of tokens")
    }

    fn visit_u64<E>(self, count: u64) -> Result<Count, E> {
        Ok(Count(Some(count)))
    }

    fn visit_i64<E>(self, count: i64) -> Result<Count, E> {
        Ok(Count(Some(u64::try_from(count).unwrap_or(0))))
    }

    fn visit_f64<E>(self, count: f64) -> Result<Count, E> {
        // A cast of a float is limited to the range of the integer.
        Ok(Count(count.is_finite().then_some(count as u64)))
    }

    fn visit_unit<E>(self) -> Result<Count, E> {
        Ok(Count(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Count, E> {
        Ok(Count(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<Count, E> {
        Ok(Count(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Count, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Count(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Count, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Count(None))
    }
}
