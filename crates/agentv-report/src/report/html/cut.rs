//! Cutting records that are too large for a page.

use serde_json::Value;

use crate::figures::count;
use crate::text::clip;

/// The longest text that is shown completely, in bytes.
pub(super) const LONGEST_TEXT: usize = 200_000;
/// The largest size of a record, in bytes.
const LARGEST_RECORD: usize = 2_000_000;
/// The size of a value in addition to its text.
const VALUE: usize = 8;

/// Appends the record and returns the number of values that were cut. A record without long texts
/// is appended unchanged.
pub(super) fn append(record: &str, to: &mut Vec<u8>) -> u64 {
    let parsed = (record.len() > LONGEST_TEXT).then(|| serde_json::from_str(record));
    let Some(Ok(mut value)) = parsed else {
        to.extend_from_slice(record.as_bytes());
        return 0;
    };
    let mut room = Room {
        left: LARGEST_RECORD,
        cuts: 0,
    };
    room.fit(&mut value);
    to.extend_from_slice(value.to_string().as_bytes());
    room.cuts
}

struct Room {
    left: usize,
    cuts: u64,
}

impl Room {
    fn fit(&mut self, value: &mut Value) {
        self.left = self.left.saturating_sub(VALUE);
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => self.fit_text(text),
            Value::Array(items) => self.fit_items(items),
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    self.left = self.left.saturating_sub(name.len());
                    self.fit(value);
                }
            }
        }
    }

    fn fit_text(&mut self, text: &mut String) {
        let kept = clip(text, LONGEST_TEXT.min(self.left)).len();
        self.left = self.left.saturating_sub(kept);
        if kept < text.len() {
            let more = count((text.len() - kept) as u64);
            text.truncate(kept);
            text.push_str(&format!("… [truncated: {more} more bytes]"));
            self.cuts += 1;
        }
    }

    fn fit_items(&mut self, items: &mut Vec<Value>) {
        let mut kept = 0;
        while kept < items.len() && self.left > 0 {
            self.fit(&mut items[kept]);
            kept += 1;
        }
        if kept < items.len() {
            let more = count((items.len() - kept) as u64);
            items.truncate(kept);
            items.push(format!("… [truncated: {more} more items]").into());
            self.cuts += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cut(record: &Value) -> (Value, u64) {
        let mut bytes = Vec::new();
        let cuts = append(&record.to_string(), &mut bytes);
        (serde_json::from_slice(&bytes).unwrap(), cuts)
    }

    #[test]
    fn a_record_of_usual_size_is_not_changed() {
        let mut bytes = Vec::new();
        assert_eq!(append(r#"{"a": 1.0}"#, &mut bytes), 0);
        assert_eq!(bytes, br#"{"a": 1.0}"#);
    }

    #[test]
    fn a_long_text_is_cut_between_letters_and_says_so() {
        let (record, cuts) = cut(&json!({"a": "é".repeat(150_001), "b": "short"}));
        let text = record["a"].as_str().unwrap();
        assert!(text.ends_with("é… [truncated: 100,002 more bytes]"));
        assert_eq!((record["b"].as_str(), cuts), (Some("short"), 1));
    }

    #[test]
    fn a_record_of_many_values_stays_small() {
        let texts = vec!["x".repeat(100_000); 100];
        let (record, cuts) = cut(&json!({"texts": texts, "numbers": vec![1; 2_000_000]}));
        assert!(record.to_string().len() < LARGEST_RECORD + 1_000);
        assert!(cuts >= 2, "{cuts}");
        let last = record["numbers"].as_array().unwrap().last().unwrap();
        assert!(last.as_str().unwrap().contains("more items"), "{last}");
    }
}
