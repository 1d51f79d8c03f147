"""TileLang's own tests, run from its source release against the installed TileLang, without and with us."""
