"""The MQTT contract, checked from outside: nothing here imports the code that writes the messages."""
