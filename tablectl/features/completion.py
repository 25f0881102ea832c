"""`tablectl completion`: shell completion of commands, options and their values."""

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Prints what SHELL needs to complete commands.

    The Debian package has it in place for bash.

    \b
    bash  tablectl completion bash > ~/.local/share/bash-completion/completions/tablectl
    zsh   tablectl completion zsh > ~/.zfunc/_tablectl, with ~/.zfunc in fpath before compinit
    fish  tablectl completion fish > ~/.config/fish/completions/tablectl.fish

    Exit status: 0 printed.
    """  # noqa: D301  # click wants the character itself
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    source = made(click.get_current_context().find_root().command, {}, "tablectl", "_TABLECTL_COMPLETE")
    # Its own `source` runs the shell to learn its version, which a machine that builds packages may not have.
    click.echo(source.source_template % source.source_vars(), nl=False)
