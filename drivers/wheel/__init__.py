"""The wheel of the Wheel of Fortune: sensors of where it is."""
