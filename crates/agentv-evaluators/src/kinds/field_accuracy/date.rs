//! Dates in the formats that a user names, such as `DD/MM/YYYY`.

use std::sync::LazyLock;

use jiff::civil::Date;
use thiserror::Error;

use super::prose;

/// A date format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateFormat {
    /// The format as the user wrote it.
    written: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `YYYY`.
    Year,
    /// `YY`, for the years from 1970 to 2069.
    ShortYear,
    /// `MM`, or `M` with an optional zero.
    Month { padded: bool },
    /// `MMMM`, or `MMM` for its first three letters.
    MonthName { full: bool },
    /// `DD`, or `D` with an optional zero.
    Day { padded: bool },
    /// `HH`, `mm` or `ss`: a part of the time, which is ignored.
    Time { below: u8 },
    /// A literal character.
    Literal(char),
}

/// The spelling of each part. A longer one precedes its own prefixes.
const SPELLINGS: [(&str, Part); 11] = [
    ("YYYY", Part::Year),
    ("YY", Part::ShortYear),
    ("MMMM", Part::MonthName { full: true }),
    ("MMM", Part::MonthName { full: false }),
    ("MM", Part::Month { padded: true }),
    ("M", Part::Month { padded: false }),
    ("DD", Part::Day { padded: true }),
    ("D", Part::Day { padded: false }),
    ("HH", Part::Time { below: 24 }),
    ("mm", Part::Time { below: 60 }),
    ("ss", Part::Time { below: 60 }),
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The formats that are tried for fields that name none. A text that they read as different days is
/// not read at all: `05/03/2026` may be in March or in May, and `25/12/2026` is in December.
static USUAL: LazyLock<Vec<DateFormat>> = LazyLock::new(|| {
    let formats = [
        "YYYY-M-D",
        "YYYY/M/D",
        "YYYY.M.D",
        "YYYYMMDD",
        "D-MMM-YYYY",
        "D-MMMM-YYYY",
        "D MMM YYYY",
        "D MMMM YYYY",
        "D MMM, YYYY",
        "D MMMM, YYYY",
        "MMM D, YYYY",
        "MMMM D, YYYY",
        "MMM D YYYY",
        "MMMM D YYYY",
        "D/M/YYYY",
        "M/D/YYYY",
        "D-M-YYYY",
        "M-D-YYYY",
        "D.M.YYYY",
        "M.D.YYYY",
    ];
    let parsed = formats.iter().map(|format| DateFormat::parse(format));
    parsed.filter_map(Result::ok).collect()
});

/// The reason why a date format cannot be read.
#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum FormatError {
    #[error(
        "unknown letter `{letter}` in the date format `{format}`; use YYYY, MM and DD, for \
         example `DD/MM/YYYY`"
    )]
    UnknownLetter { letter: char, format: String },
    #[error("expected one {name} in a date format such as `DD/MM/YYYY`, found {found}")]
    Incomplete { name: &'static str, found: usize },
}

impl DateFormat {
    /// Parses a format: `YYYY`, `YY`, `MMMM` (`March`), `MMM` (`Mar`), `MM`, `M`, `DD`, `D`, `HH`,
    /// `mm`, `ss`, and literal punctuation, spaces, `T` and `Z`.
    ///
    /// # Errors
    /// Returns the problem in words.
    pub(super) fn parse(written: &str) -> Result<DateFormat, FormatError> {
        let mut parts = Vec::new();
        let mut rest = written;
        while let Some(letter) = rest.chars().next() {
            let spelling = SPELLINGS
                .iter()
                .find(|(spelling, _)| rest.starts_with(spelling));
            if let Some((spelling, part)) = spelling {
                parts.push(*part);
                rest = &rest[spelling.len()..];
                continue;
            }
            if letter == '%' || (letter.is_alphanumeric() && !matches!(letter, 'T' | 'Z')) {
                return Err(FormatError::UnknownLetter {
                    letter,
                    format: written.to_owned(),
                });
            }
            parts.push(Part::Literal(letter));
            rest = &rest[letter.len_utf8()..];
        }
        let format = DateFormat {
            written: written.to_owned(),
            parts,
        };
        format.check_complete()?;
        Ok(format)
    }

    /// Returns the format as the user wrote it.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// Checks that the format has a year, a month and a day, each once.
    fn check_complete(&self) -> Result<(), FormatError> {
        let count =
            |is_one: fn(&Part) -> bool| self.parts.iter().filter(|part| is_one(part)).count();
        let years = count(|part| matches!(part, Part::Year | Part::ShortYear));
        let months = count(|part| matches!(part, Part::Month { .. } | Part::MonthName { .. }));
        let days = count(|part| matches!(part, Part::Day { .. }));
        for (name, found) in [("year", years), ("month", months), ("day", days)] {
            if found != 1 {
                return Err(FormatError::Incomplete { name, found });
            }
        }
        Ok(())
    }

    /// Reads a date in this format, or returns `None`.
    pub(super) fn read(&self, text: &str) -> Option<Date> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = text;
        for part in &self.parts {
            match *part {
                Part::Year => year = digits(&mut rest, 4, 4)?,
                Part::ShortYear => {
                    let short = digits(&mut rest, 2, 2)?;
                    year = if short < 70 { 2000 } else { 1900 } + short;
                }
                Part::Month { padded } => month = one_or_two(&mut rest, padded)?,
                Part::Day { padded } => day = one_or_two(&mut rest, padded)?,
                Part::MonthName { full } => month = month_name(&mut rest, full)?,
                Part::Time { below } => {
                    digits(&mut rest, 2, 2).filter(|value| *value < i16::from(below))?;
                }
                Part::Literal(letter) => rest = rest.strip_prefix(letter)?,
            }
        }
        let date = || Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok();
        rest.is_empty().then(date).flatten()
    }
}

/// Reads a date in the first of several formats that fits.
pub(super) fn read(text: &str, formats: &[DateFormat]) -> Option<Date> {
    formats.iter().find_map(|format| format.read(text.trim()))
}

/// Reads a date that can be read in one way only, ignoring a time after it.
pub(super) fn read_unambiguous(text: &str) -> Option<Date> {
    match readings(text).as_slice() {
        [day] => Some(*day),
        _ => None,
    }
}

/// Returns true if a text may mean different days.
pub(super) fn is_ambiguous(text: &str) -> bool {
    readings(text).len() > 1
}

/// Returns the days that a text may mean, each once.
fn readings(text: &str) -> Vec<Date> {
    let (weekday, rest) = prose::without_weekday(text.trim());
    let day = prose::plain(prose::without_time(rest));
    let days = USUAL.iter().filter_map(|format| format.read(&day));
    let mut days: Vec<Date> = days
        .filter(|day| weekday.is_none_or(|weekday| day.weekday() == weekday))
        .collect();
    days.sort_unstable();
    days.dedup();
    days
}

fn one_or_two(rest: &mut &str, padded: bool) -> Option<i16> {
    digits(rest, if padded { 2 } else { 1 }, 2)
}

/// Reads a number of `fewest` to `most` digits at the start of the rest.
fn digits(rest: &mut &str, fewest: usize, most: usize) -> Option<i16> {
    let leading = rest.bytes().take(most).take_while(u8::is_ascii_digit);
    let length = leading.count();
    if length < fewest {
        return None;
    }
    let (number, after) = rest.split_at(length);
    *rest = after;
    number.parse().ok()
}

fn month_name(rest: &mut &str, full: bool) -> Option<i16> {
    let months = (1..).zip(MONTHS);
    for (number, name) in months {
        let name = if full { name } else { &name[..3] };
        let start = rest.get(..name.len());
        if start.is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            *rest = &rest[name.len()..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_date_is_read_in_its_format_and_in_no_other() {
        let fifth_of_march = Some(date(2026, 3, 5));
        for (format, text) in [
            ("YYYY-MM-DD", "2026-03-05"),
            ("DD/MM/YYYY", "05/03/2026"),
            ("MM/DD/YYYY", "03/05/2026"),
            ("D.M.YY", "5.3.26"),
            ("D.M.YYYY", "05.03.2026"),
            ("DD-MMM-YYYY", "05-Mar-2026"),
            ("MMMM D, YYYY", "march 5, 2026"),
            ("YYYYMMDD", "20260305"),
            ("YYYY-MM-DDTHH:mm:ssZ", "2026-03-05T23:59:59Z"),
        ] {
            let format = DateFormat::parse(format).unwrap();
            assert_eq!(format.read(text), fifth_of_march, "{format:?}");
        }
        for (format, text) in [
            ("DD/MM/YYYY", "5/3/2026"),
            ("DD/MM/YYYY", "05/03/2026 "),
            ("DD/MM/YYYY", "31/02/2026"),
            ("DD/MM/YYYY", "03-05-2026"),
            ("YYYY-MM-DD", "2026-13-05"),
            ("D MMM YYYY", "5 Mär 2026"),
            ("YYYY-MM-DD HH:mm", "2026-03-05 24:00"),
        ] {
            let format = DateFormat::parse(format).unwrap();
            assert_eq!(format.read(text), None, "{format:?} {text}");
        }
    }

    #[test]
    fn without_a_format_nothing_is_guessed() {
        let fifth_of_march = Some(date(2026, 3, 5));
        for text in [
            "2026-03-05",
            "2026-03-05T10:00:00+02:00",
            "2026-03-05 10:00",
            "5 March 2026",
            "Mar 5, 2026",
            "05-MAR-2026",
            "2026-3-5",
            "2026/03/05",
            "March 5 2026",
        ] {
            assert_eq!(read_unambiguous(text), fifth_of_march, "{text}");
        }
        for text in [
            "05/03/2026",
            "5.3.2026",
            "",
            "2026-03-05 or so",
            "ää-03-05 1",
            "25/25/2026",
            "31/02/2026",
            "Monday, December 25, 2026",
            "December 2026",
            "December 25, 2026 or later",
            "25122026",
            "10:00",
        ] {
            assert_eq!(read_unambiguous(text), None, "{text}");
        }
        assert_eq!(USUAL.len(), 20);
    }

    #[test]
    fn a_date_that_can_be_read_in_one_way_only_needs_no_format() {
        for text in [
            "25/12/2026",
            "12/25/2026",
            "25.12.2026",
            "12-25-2026",
            "25/12/2026 10:00",
            "Fri, 25 Dec 2026 10:00:00 GMT",
            "Fri Dec 25 2026 10:00:00 GMT+0100 (Central European Standard Time)",
            "Friday, December 25, 2026",
            "Friday 25/12/2026",
            "Dec. 25, 2026",
            "25 December 2026, 10:00",
            "December 25, 2026 at 10:00 a.m.",
            "December 25th, 2026",
            "the 25th of December, 2026",
            "20261225",
        ] {
            assert_eq!(read_unambiguous(text), Some(date(2026, 12, 25)), "{text}");
        }
        assert_eq!(read_unambiguous("05/05/2026"), Some(date(2026, 5, 5)));
        assert_eq!(read_unambiguous("Sept 5, 2026"), Some(date(2026, 9, 5)));
        assert_eq!(read_unambiguous("Thu 05/03/2026"), Some(date(2026, 3, 5)));
    }

    #[test]
    fn what_is_no_format_is_refused_in_words() {
        for (format, problem) in [
            ("%d/%m/%Y", "unknown letter `%`"),
            ("dd.mm.yyyy", "unknown letter `d`"),
            ("DD/MM", "expected one year"),
            ("DD/MM/YYYY YYYY", "expected one year"),
            ("", "expected one year"),
            ("YYYY-DD", "expected one month"),
        ] {
            let found = DateFormat::parse(format).unwrap_err().to_string();
            assert!(found.contains(problem), "{format}: {found}");
        }
    }
}
