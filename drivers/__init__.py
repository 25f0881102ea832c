"""Drivers for the devices of a table.

There is one folder per device, and one codec file per wire protocol.
"""
