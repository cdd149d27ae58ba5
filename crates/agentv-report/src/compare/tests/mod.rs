//! Comparisons of runs, as a whole.

mod figures;
mod gates;
mod laws;
mod matching;
mod reading;
mod several;
mod shown_cases;
mod side_by_side;
mod support;
