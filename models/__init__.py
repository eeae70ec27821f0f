"""Tasks, baselines, cross-validation, metrics and comparison. Knows neither DVC nor media."""
