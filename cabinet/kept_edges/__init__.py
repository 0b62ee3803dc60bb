"""Raw edges with their stamps, kept while the cabinet runs: all that is needed to play it again."""
