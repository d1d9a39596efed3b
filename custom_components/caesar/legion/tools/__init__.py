"""The tools that come with CAESAR, each a package of its own."""
