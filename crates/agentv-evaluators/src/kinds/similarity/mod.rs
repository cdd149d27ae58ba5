//! `similarity`: the answer is similar to a text.

mod bleu;
mod error;
mod evaluator;
mod jaro_winkler;
mod kind;
mod levenshtein;
mod metric;
mod rouge_1;
mod rouge_l;
mod symbols;
mod tokens;

pub(crate) use kind::KIND;
