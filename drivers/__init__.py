"""Drivers for the devices of a table: one folder per device, one codec file per wire protocol."""
