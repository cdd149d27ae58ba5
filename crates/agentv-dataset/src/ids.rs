//! Ids of cases: derived if none is written, and unique within a file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use agentv_syntax::Draft;
use md5::{Digest, Md5};

use crate::case::Fields;

/// The id of a case before it is known to be unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CaseId<'t> {
    /// The user wrote it; a second one is a mistake.
    Written(Cow<'t, str>),
    /// It is derived from the input of an AgentMark row; a second one gets a number.
    Derived(String),
}

impl<'t> CaseId<'t> {
    /// Returns the id of a case, if it has one that can be read.
    pub(crate) fn of(fields: &Fields<'t>) -> Option<CaseId<'t>> {
        if let Some(id) = fields.id {
            return id.as_str().map(CaseId::Written);
        }
        let input = fields.input.filter(|_| fields.is_row())?;
        Some(CaseId::Derived(derived_id(Draft::from(input))))
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            CaseId::Written(id) => id,
            CaseId::Derived(id) => id,
        }
    }
}

/// Returns the name that AgentMark gives a row: the first 12 hex digits of the MD5 of its input's
/// canonical JSON.
pub(crate) fn derived_id(input: Draft) -> String {
    let digest = Md5::digest(canonical_json(input).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..12].to_owned()
}

/// Writes JSON with sorted keys, no white space, everything beyond ASCII escaped, and numbers as they
/// were written.
fn canonical_json(value: Draft) -> String {
    let mut ascii = String::new();
    for letter in sorted(value).to_json().chars() {
        if matches!(letter, ' '..='~') {
            ascii.push(letter);
        } else {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}

fn sorted(value: Draft) -> Draft {
    match value {
        Draft::Array(items) => Draft::Array(items.into_iter().map(sorted).collect()),
        Draft::Object(mut fields) => {
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            let fields = fields.into_iter();
            Draft::Object(fields.map(|(key, value)| (key, sorted(value))).collect())
        }
        scalar => scalar,
    }
}

/// Returns a digest of an id: a few bytes that are kept for each case while a file is read.
pub(crate) fn digest(id: &str) -> u64 {
    // Quick rather than strong: if two ids share a digest, the ids themselves are compared.
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |digest: u64, word: u64| (digest ^ word).wrapping_mul(ODD).rotate_left(29);
    let (words, rest) = id.as_bytes().as_chunks::<8>();
    let digest = words.iter().fold(id.len() as u64, |digest, word| {
        mix(digest, u64::from_le_bytes(*word))
    });
    let last = rest
        .iter()
        .fold(0, |word, byte| (word << 8) | u64::from(*byte));
    let digest = mix(digest, last);
    (digest ^ (digest >> 32)).wrapping_mul(ODD)
}

/// The digests of the ids of a file.
#[derive(Debug, Default)]
pub(crate) struct IdIndex {
    /// Sorted; kept only if some repeat, because only then a new id can clash.
    digests: Vec<u64>,
    repeated: HashSet<u64>,
}

impl IdIndex {
    pub(crate) fn of(mut digests: Vec<u64>) -> IdIndex {
        digests.sort_unstable();
        let repeated: HashSet<u64> = digests
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
            .collect();
        if repeated.is_empty() {
            return IdIndex::default();
        }
        IdIndex { digests, repeated }
    }

    pub(crate) fn has_repeated(&self) -> bool {
        !self.repeated.is_empty()
    }

    fn is_taken(&self, id: &str) -> bool {
        self.digests.binary_search(&digest(id)).is_ok()
    }
}

/// The result of assigning an id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Assigned {
    /// It is the case's id.
    Id(String),
    /// An earlier case, on this line, has the same.
    Taken { first_line: u64 },
}

/// An assigner of ids to cases, in file order.
#[derive(Debug)]
pub(crate) struct IdAssigner<'i> {
    index: &'i IdIndex,
    /// Ids that occur more than once, with the line of the first.
    seen: HashMap<String, u64>,
    /// The next number for a derived id that occurs more than once.
    next: HashMap<String, u32>,
}

impl<'i> IdAssigner<'i> {
    pub(crate) fn new(index: &'i IdIndex) -> Self {
        IdAssigner {
            index,
            seen: HashMap::new(),
            next: HashMap::new(),
        }
    }

    pub(crate) fn assign(&mut self, id: &CaseId<'_>, line: u64) -> Assigned {
        let text = id.text();
        if !self.index.repeated.contains(&digest(text)) {
            return Assigned::Id(text.to_owned());
        }
        let Some(&first_line) = self.seen.get(text) else {
            self.seen.insert(text.to_owned(), line);
            return Assigned::Id(text.to_owned());
        };
        match id {
            CaseId::Written(_) => Assigned::Taken { first_line },
            CaseId::Derived(_) => Assigned::Id(self.numbered(text)),
        }
    }

    fn numbered(&mut self, id: &str) -> String {
        let next = self.next.entry(id.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{id}-{next}");
            *next += 1;
            if !self.index.is_taken(&candidate) {
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_derived_id_is_the_one_that_agentmark_gives_the_row() {
        // printf '{"userMessage":"What is 7 times 9?"}' | md5sum
        assert_eq!(
            derived_id(Draft::from(&json!({"userMessage": "What is 7 times 9?"}))),
            "27a6201ff533"
        );
        // json.dumps(…, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        assert_eq!(
            canonical_json(Draft::from(&json!({
                "b": "é😀\u{7f}", "a": {"z": 1, "y": [1.5, null]}
            }))),
            "{\"a\":{\"y\":[1.5,null],\"z\":1},\"b\":\"\\u00e9\\ud83d\\ude00\\u007f\"}"
        );
    }

    fn assigned(ids: &[CaseId<'_>]) -> Vec<Assigned> {
        let index = IdIndex::of(ids.iter().map(|id| digest(id.text())).collect());
        let mut assigner = IdAssigner::new(&index);
        let assign = |(line, id)| assigner.assign(id, line as u64 + 1);
        ids.iter().enumerate().map(assign).collect()
    }

    #[test]
    fn a_written_id_is_taken_once_and_a_derived_one_is_numbered() {
        let written = |id: &'static str| CaseId::Written(id.into());
        let derived = |id: &str| CaseId::Derived(id.to_owned());
        let id = |id: &str| Assigned::Id(id.to_owned());
        assert_eq!(
            assigned(&[written("a"), written("b"), written("a")]),
            [id("a"), id("b"), Assigned::Taken { first_line: 1 }]
        );
        assert_eq!(
            assigned(&[derived("r"), derived("r"), written("r-2"), derived("r")]),
            [id("r"), id("r-3"), id("r-2"), id("r-4")]
        );
    }
}
