"""`tablectl schema`: what a table publishes, for programs."""

import json

import click

import tablectl


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON, which is the only form there is.")
def schema(*, as_json: bool) -> None:  # noqa: ARG001  # asked for or not, it is JSON
    """Prints what a table publishes, as AsyncAPI 3.

    A running table has the same document, on one line, retained on its topic meta/asyncapi.

    Exit status: 0 printed.
    """
    from tablectl.app.schema import description

    click.echo(json.dumps(description(tablectl.__version__), ensure_ascii=False, indent=2))
