"""How fast the demo's people are."""

import asyncio
from dataclasses import dataclass, field
from random import Random


@dataclass(slots=True)
class Pace:
    """The time that people take. ``speed`` 1 is a person's own, 0 takes no time at all."""

    speed: float
    _mood: Random = field(default_factory=Random)

    async def take(self, usual_s: float) -> None:
        """Takes about this time."""
        if self.speed > 0:
            await asyncio.sleep(usual_s * self._mood.uniform(0.7, 1.3) / self.speed)
