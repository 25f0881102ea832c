"""Requests: over MQTT, and what an amendment may change."""
