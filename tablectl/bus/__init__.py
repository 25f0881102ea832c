"""The way out to surveillance: events in order and resumable, state retained, over MQTT."""
