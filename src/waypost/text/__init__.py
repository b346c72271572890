"""Text analysis: languages, keywords, identifiers, normal forms, fences and secrets."""
