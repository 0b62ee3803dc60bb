"""Many matches between robots, for figures: `spit-cabinet simulate`."""
