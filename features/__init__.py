"""Facial, prosodic, textual and structural features of recorded conversations. Knows neither DVC nor params.yaml."""
