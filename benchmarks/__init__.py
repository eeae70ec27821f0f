"""Extraction against known truth (`make truth`), and speed and memory beside the bare libraries (`make bench`)."""
