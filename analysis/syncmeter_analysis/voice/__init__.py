"""The only room that builds text about what was found: words (terms.toml), sentences
(templates/*.toml) and numbers, filled with the members of conclusions."""
