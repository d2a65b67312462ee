"""The only room that builds text about what was found: words and sentences (templates/*.toml) and
numbers, filled with the members of conclusions."""
