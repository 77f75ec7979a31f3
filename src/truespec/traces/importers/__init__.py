"""One importer per format: text in, `Trace` out. `registry.py` lists them."""
