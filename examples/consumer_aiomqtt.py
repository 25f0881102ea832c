"""Prints how a table's rounds end, with aiomqtt: python consumer_aiomqtt.py HOST PORT SITE/TABLE."""

import asyncio
import json
import sys

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties


async def main(host: str, port: str, table: str) -> None:
    last: dict[str, int] = {}  # by log: an event may come twice, with the same sequence
    session = Properties(PacketTypes.CONNECT)
    session.SessionExpiryInterval = 86_400  # seconds for which the broker keeps events while this program is away
    v5 = aiomqtt.ProtocolVersion.V5
    async with aiomqtt.Client(
        host, int(port), identifier="example-aiomqtt", protocol=v5, clean_start=False, properties=session
    ) as client:
        await client.subscribe(f"tablectl/v1/{table}/event/#", qos=1)
        print("listening", file=sys.stderr, flush=True)
        async for message in client.messages:
            event = json.loads(bytes(message.payload))
            if int(event["sequence"]) <= last.get(event["source"], 0):
                continue
            last[event["source"]] = int(event["sequence"])
            kind = event["type"].removeprefix("mo.tablectl.").removesuffix(".v1")
            if kind in {"round.settled", "round.corrected", "round.void"}:
                print(event["sequence"], kind, event["data"]["round_id"], flush=True)


asyncio.run(main(*sys.argv[1:]))
