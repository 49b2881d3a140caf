"""From text to trees: lexing, splitting, parsing."""
