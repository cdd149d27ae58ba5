//! Ids of cases: derived if none is written, and unique within a file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use agentv_syntax::Node;
use md5::{Digest, Md5};

use crate::canonical_json::canonical_json;
use crate::case::Fields;

/// The id of a case before it is known to be unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CaseId<'t> {
    /// The user wrote it; a second one is a mistake.
    Written(Cow<'t, str>),
    /// It is derived from the input of a row; a second one gets a number.
    Derived(String),
}

/// The id of a case before its place among the rows is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowId<'t> {
    /// The id does not depend on the place.
    Known(CaseId<'t>),
    /// The row has an empty input, which AgentMark names by its index.
    Index,
}

impl<'t> RowId<'t> {
    /// Returns the id of a case, if it has one that can be read.
    ///
    /// With `derives`, a case that is not an AgentMark row gets the name of its input, too.
    pub(crate) fn of(fields: &Fields<'t>, derives: bool) -> Option<RowId<'t>> {
        if let Some(id) = fields.id {
            return id.as_str().map(|id| RowId::Known(CaseId::Written(id)));
        }
        if !fields.is_row() {
            let input = fields.asked().filter(|_| derives)?;
            return Some(RowId::Known(CaseId::Derived(derived_id(input))));
        }
        let input = fields.input?;
        if input.is_empty() {
            return Some(RowId::Index);
        }
        Some(RowId::Known(CaseId::Derived(derived_id(input))))
    }

    /// Returns the id of the row with this index, from 0.
    pub(crate) fn at(self, index: u64) -> CaseId<'t> {
        match self {
            RowId::Known(id) => id,
            RowId::Index => CaseId::Derived(index.to_string()),
        }
    }
}

impl CaseId<'_> {
    pub(crate) fn text(&self) -> &str {
        match self {
            CaseId::Written(id) => id,
            CaseId::Derived(id) => id,
        }
    }
}

/// Returns the name that AgentMark gives a row: the first 12 hex digits of the MD5 of its input's
/// canonical JSON.
pub(crate) fn derived_id(input: Node<'_>) -> String {
    let digest = Md5::digest(canonical_json(input).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..12].to_owned()
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
    use agentv_syntax::{Tree, json};

    fn id_of(row: &str, index: u64) -> String {
        let mut tree = Tree::default();
        json::parse(row, &mut tree).unwrap();
        let id = RowId::of(&Fields::of(tree.root()), false).unwrap();
        id.at(index).text().to_owned()
    }

    #[test]
    fn a_derived_id_is_the_one_that_agentmark_gives_the_row() {
        // printf '{"userMessage":"What is 7 times 9?"}' | md5sum
        let row = r#"{"input": {"userMessage": "What is 7 times 9?"}}"#;
        assert_eq!(id_of(row, 3), "27a6201ff533");
        assert_eq!(
            id_of(r#"{"input": {"a": 1, "b": [2, 3]}}"#, 0),
            "94dc2faee24e"
        );
        assert_eq!(
            id_of(r#"{"input": {"b": [2.0, 3], "a": 1}}"#, 0),
            "94dc2faee24e"
        );
    }

    #[test]
    fn an_empty_input_is_named_by_the_index_of_its_row() {
        assert_eq!(id_of(r#"{"input": {}}"#, 0), "0");
        assert_eq!(id_of(r#"{"input": {}}"#, 41), "41");
        assert_eq!(id_of(r#"{"id": "own", "input": {}}"#, 41), "own");
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
