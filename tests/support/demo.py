"""A demonstration that is played for a test: what it published, round by round."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablectl.features.demo.options import Options, Ports
from tablectl.features.demo.runner import demo
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import subscribe
from tablectl.mqtt.settings import parse_broker_url
from tablectl.rule_tables import shipped

Form = dict[str, Any]


@dataclass
class Keeper:
    """A reader that keeps what it hears and says nothing."""

    events: list[Form] = field(default_factory=list)

    def tell(self, message: Message) -> Sequence[str]:
        if "/event/" in message.topic:
            self.events.append(json.loads(message.payload))
        return ()

    def completeness(self) -> str:
        return "complete"

    def proved(self) -> bool:
        return True

    def rounds(self) -> list[list[Form]]:
        """The events of each round, in the order of the rounds."""
        by_round: dict[str, list[Form]] = defaultdict(list)
        for event in self.events:
            if "subject" in event:
                by_round[event["subject"]].append(event)
        return [by_round[name] for name in sorted(by_round)]


def feed(url: str, filters: Sequence[str], told: Callable[[Exception | None], None]) -> AsyncIterator[Message]:
    """The messages of a broker."""
    return subscribe(parse_broker_url(url), filters, "demo-test", told)


def played(options: Options) -> Keeper:
    """What a demonstration with these options published."""
    keeper = Keeper()
    assert demo(options, Ports(feed, lambda _language, _colour: keeper, shipped)) == 0
    return keeper


def kind(event: Form) -> str:
    """What an event is, as `round.settled`."""
    return str(event["type"]).removeprefix("mo.tablectl.").removesuffix(".v1")
