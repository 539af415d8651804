"""Other converters' interfaces, for scripts that were written for them."""
