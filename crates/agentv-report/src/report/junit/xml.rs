//! XML elements that can contain any text.

use std::borrow::Cow;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

use crate::text::clip;

/// The largest number of bytes of a text: XML readers give up on texts of several megabytes.
const LONGEST: usize = 1 << 16;

/// An attribute and its value.
pub(super) type Attribute<'a> = (&'a str, Cow<'a, str>);

/// Writes the start of an element with content.
pub(super) fn start(
    xml: &mut Writer<&mut dyn Write>,
    name: &str,
    attributes: &[Attribute<'_>],
) -> io::Result<()> {
    xml.write_event(Event::Start(element(name, attributes)))
}

/// Writes the end of an element.
pub(super) fn end(xml: &mut Writer<&mut dyn Write>, name: &str) -> io::Result<()> {
    xml.write_event(Event::End(BytesEnd::new(name)))
}

/// Writes an element without content.
pub(super) fn empty(
    xml: &mut Writer<&mut dyn Write>,
    name: &str,
    attributes: &[Attribute<'_>],
) -> io::Result<()> {
    xml.write_event(Event::Empty(element(name, attributes)))
}

/// Writes an element with a text.
pub(super) fn text(
    xml: &mut Writer<&mut dyn Write>,
    name: &str,
    attributes: &[Attribute<'_>],
    text: &str,
) -> io::Result<()> {
    start(xml, name, attributes)?;
    xml.write_event(Event::Text(BytesText::new(&legal(text))))?;
    end(xml, name)
}

fn element<'e>(name: &'e str, attributes: &'e [Attribute<'_>]) -> BytesStart<'e> {
    let legal = attributes.iter().map(|(name, value)| (*name, legal(value)));
    BytesStart::new(name).with_attributes(legal)
}

/// Replaces everything that XML cannot contain, control characters and the two noncharacters, by
/// U+FFFD, the replacement character.
pub(super) fn legal(text: &str) -> Cow<'_, str> {
    let clipped = clip(text, LONGEST);
    if clipped.chars().all(is_legal) {
        return Cow::Borrowed(clipped);
    }
    let replaced = |letter| {
        if is_legal(letter) {
            letter
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    Cow::Owned(clipped.chars().map(replaced).collect())
}

fn is_legal(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}
