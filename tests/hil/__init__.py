"""The rig: the shipped package on a real Debian kernel, with devices on real buses, in an emulated machine."""
