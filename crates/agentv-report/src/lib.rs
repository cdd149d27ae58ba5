//! Events and records to something for people, CI and the disk.
