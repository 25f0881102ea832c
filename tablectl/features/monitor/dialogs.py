"""Dialogs of the monitor: choose, type, confirm, read.

Escape leaves each without doing anything. Textual has no other way to make a screen than a subclass.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

LONGEST: int = 200


class Sure(ModalScreen[bool]):
    """Asks whether it is to be done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)"),
        Binding("n,escape", "answer(False)"),
    ]

    def __init__(self, question: str, hint: str) -> None:
        super().__init__()
        self.question, self.hint = question, hint

    def compose(self) -> ComposeResult:
        """The question, and how it is answered."""
        with Vertical(classes="dialog"):
            yield Static(self.question, markup=False)
            yield Static(self.hint, classes="hint", markup=False)

    def action_answer(self, sure: bool) -> None:  # textual passes it by position
        """Says yes or no."""
        self.dismiss(sure)


class Typed(ModalScreen[str]):
    """Ask for a line of text; an empty one is asked for again.

    The result is empty where the dialog was left.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", priority=True)]

    def __init__(self, question: str, hint: str, *, secret: bool = False) -> None:
        super().__init__()
        self.question, self.hint, self.secret = question, hint, secret

    def compose(self) -> ComposeResult:
        """The question, the line, and how it is answered."""
        with Vertical(classes="dialog"):
            yield Static(self.question, markup=False)
            yield Input(password=self.secret, max_length=LONGEST)
            yield Static(self.hint, classes="hint", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the line."""
        if event.value.strip():
            self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        """Leaves it."""
        self.dismiss("")


class Choice(ModalScreen[int]):
    """Asks for one of several; -1 where none was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave")]

    def __init__(self, question: str, options: Sequence[str], hint: str) -> None:
        super().__init__()
        self.question, self.options, self.hint = question, options, hint

    def compose(self) -> ComposeResult:
        """The question, what there is, and how one is chosen."""
        with Vertical(classes="dialog"):
            yield Static(self.question, markup=False)
            yield OptionList(*self.options, markup=False)
            yield Static(self.hint, classes="hint", markup=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Takes what was chosen."""
        self.dismiss(event.option_index)

    def action_leave(self) -> None:
        """Leaves it."""
        self.dismiss(-1)


class Reading(ModalScreen[None]):
    """A page to be read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "leave")]

    def __init__(self, text: str, hint: str) -> None:
        super().__init__()
        self.text, self.hint = text, hint

    def compose(self) -> ComposeResult:
        """The text."""
        with VerticalScroll(classes="dialog"):
            yield Static(self.text, markup=False)
            yield Static(self.hint, classes="hint", markup=False)

    def action_leave(self) -> None:
        """Leaves it."""
        self.dismiss(None)
