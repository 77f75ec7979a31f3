"""From what an agent was told to rules: each with its quote, formal where that is possible."""
