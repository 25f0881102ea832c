"""The composition root: the only room that sees every room and puts them together.

Each module joins what one command needs, so that a command doesn't pay for another's rooms.
"""
