"""Layout of the screen in textual's style language.

It uses words and weights, never colours alone.
"""

from typing import Final

STYLE: Final = """
#head { height: 1; text-style: bold; }
#clock { width: auto; padding-left: 2; }
#title { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
#line { height: auto; text-style: reverse bold; }
#waiting { height: auto; min-height: 2; max-height: 6; border-top: heavy $foreground; text-style: bold; padding: 0 1; }
.part { border-top: solid $foreground; padding: 0 1; scrollbar-size: 1 1; }
.part:focus { border-top: heavy $foreground; }
#main { height: 3fr; }
#play { width: 1fr; }
#lamps { width: 1fr; border-left: solid $foreground; padding: 0 0 0 1; }
#faults { height: auto; min-height: 2; max-height: 8; }
#results { height: 2fr; }
#said { height: auto; text-style: bold; padding: 0 1; }
#keys { height: auto; padding: 0 1; text-style: reverse; }
Screen.-narrow #main { layout: vertical; height: 4fr; }
Screen.-narrow #play { width: 100%; height: 1fr; }
Screen.-narrow #lamps { width: 100%; height: 1fr; }
.hidden { display: none; }
ModalScreen { align: center middle; }
.dialog {
    width: 90%; max-width: 76; height: auto; max-height: 90%;
    border: heavy $foreground; padding: 0 1; background: $surface;
}
.dialog OptionList { height: auto; max-height: 10; }
.hint { text-style: dim; margin-top: 1; }
"""
