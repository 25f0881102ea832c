"""The keepers of shards, by the locks in PostgreSQL."""

import asyncio
from typing import Final

import psycopg
from psycopg.rows import TupleRow

from tablectl.features.recorder.stores.columns import TAKEN
from tablectl.features.recorder.stores.postgres_sql import AT_WORK, ENDS_SOON, SIGN_ON
from tablectl.features.recorder.stores.store import StoreAwayError

ANSWER_S: Final = 5.0

OTHER_COUNT: Final = "recorders with another number of shards are at work"


class PostgresShards:
    """A connection by which a recorder counts as one that is at work.

    Args:
        address: as libpq takes it.
        count: how many shards there are.
    """

    def __init__(self, address: str, count: int) -> None:
        self._address = address
        self._count = count
        self._connection: psycopg.AsyncConnection[TupleRow] | None = None

    async def look(self) -> tuple[int, set[int]]:
        """Return how many recorders are at work, with us, and the shards nobody keeps.

        Raises:
            StoreAwayError: the database doesn't answer, or others write there who don't share as we do.
        """
        try:
            async with asyncio.timeout(ANSWER_S):
                if self._connection is None:
                    self._connection = await psycopg.AsyncConnection.connect(self._address, autocommit=True)
                    await self._sign_on(self._connection)
                rows = await self._connection.execute(AT_WORK, {"count": self._count})
                alike, others, kept = await rows.fetchone() or (0, 0, ())
        except (psycopg.Error, TimeoutError, OSError) as error:
            await self.close()
            said = str(error).strip().split("\n", 1)[0] or "no answer in time"
            raise StoreAwayError(f"the database doesn't answer ({said})") from None
        except BaseException:
            await self.close()
            raise
        if others:
            await self.close()
            raise StoreAwayError(f"the database doesn't answer ({OTHER_COUNT})")
        return alike, set(range(self._count)) - set(kept)

    async def close(self) -> None:
        """Hang up."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _sign_on(self, connection: psycopg.AsyncConnection[TupleRow]) -> None:
        await connection.execute(ENDS_SOON)
        alone, _ = await (await connection.execute(SIGN_ON, (self._count,))).fetchone() or (False, False)
        if not alone:
            raise psycopg.OperationalError(TAKEN)
