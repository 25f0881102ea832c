"""Numbers on the command line."""

import math

import click


def finite(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    """The number, if it is one: `nan` lies in every range and `inf` in every open one, as click compares them."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number that can be used")
    return value
