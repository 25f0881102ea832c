"""How patient the console is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient the API is. All in seconds, but `wrong_pins`.

    Args:
        idle_s: a session without a request ends after this.
        wrong_pins: wrong PINs in a row before a person is locked out.
        lockout_s: for how long they are.
        body_s: how long a body may take to arrive.
        heartbeat_s: how long an open screen hears nothing at most.
        send_s: how long an open screen may take to read what it was sent.
    """

    idle_s: float = 8 * 3600.0
    wrong_pins: int = 5
    lockout_s: float = 60.0
    body_s: float = 10.0
    heartbeat_s: float = 5.0
    send_s: float = 10.0
