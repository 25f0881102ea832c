"""The id under which a table is known at its broker: nobody who reads along learns it."""

import re

from tests.support.broker import Broker
from tests.support.feed import Feed
from tests.support.live_table import Table


def test_the_client_id_is_in_nothing_that_is_published(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    Feed.until(lambda: feed.last("/health") is not None)
    secrets = {own.rpartition("-")[2] for own in re.findall(r" as (tablectl-\S+?) ", broker.log())}
    assert any(re.fullmatch(r"[0-9a-f]{32}", secret) for secret in secrets)
    for secret in secrets:
        assert re.fullmatch(r"[0-9a-f]{16,32}", secret)
        assert secret not in table.daemon.folder.joinpath("daemon.log").read_text("utf-8")
        assert not [topic for topic, _, message in feed.messages() if secret in topic or secret in str(message)]
