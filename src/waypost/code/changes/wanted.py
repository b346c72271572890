"""What a manifest wants: a package, its versions, and for what."""

RUNTIME, DEVELOPMENT, OPTIONAL, BUILD, LANGUAGE = "runtime", "development", "optional", "build", "language"
Wanted = tuple[str, str, str]  # name, versions, group
