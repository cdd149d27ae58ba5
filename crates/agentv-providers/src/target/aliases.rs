//! Older names of fields, as files for other versions have them.

/// Older names, and the names of today.
const ALIASES: &[(&str, &str)] = &[
    ("api_format", "api"),
    ("api_version", "version"),
    ("attachments_format", "files_format"),
    ("cli_verbose", "verbose"),
    ("deployment_name", "deployment"),
    ("fixtures", "path"),
    ("grader_target", "judge_target"),
    ("keep_output_files", "keep_temp_files"),
    ("max_tokens", "max_output_tokens"),
    ("resource_name", "resource"),
    ("variant", "model"),
];

/// Returns the name of today of a field that a targets file may call by an older one.
pub fn name_of_today(name: &str) -> &str {
    canonical(name)
}

/// Returns today's name of a field.
pub(crate) fn canonical(name: &str) -> &str {
    let mut aliases = ALIASES.iter();
    let known = aliases.find(|(older, _)| *older == name);
    known.map_or(name, |(_, name)| name)
}
