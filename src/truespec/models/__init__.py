"""Model access: real providers, recorded answers, scripted models, and any Python callable."""
