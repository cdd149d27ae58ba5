//! Cases to trials to records: scheduling, retries, limits, cache, journal.
