"""Prints how a table's rounds end, with paho-mqtt: python consumer_paho.py HOST PORT SITE/TABLE."""

import json
import sys
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

host, port, table = sys.argv[1:]
last: dict[str, int] = {}  # by log: an event may come twice, with the same sequence


def on_connect(client: mqtt.Client, *_: Any) -> None:
    client.subscribe(f"tablectl/v1/{table}/event/#", qos=1)


def on_subscribe(*_: Any) -> None:
    print("listening", file=sys.stderr, flush=True)


def on_message(_client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
    event = json.loads(message.payload)
    if int(event["sequence"]) <= last.get(event["source"], 0):
        return
    last[event["source"]] = int(event["sequence"])
    kind = event["type"].removeprefix("mo.tablectl.").removesuffix(".v1")
    if kind in {"round.settled", "round.corrected", "round.void"}:
        print(event["sequence"], kind, event["data"]["round_id"], flush=True)


session = Properties(PacketTypes.CONNECT)
session.SessionExpiryInterval = 86_400  # seconds for which the broker keeps events while this program is away
client = mqtt.Client(CallbackAPIVersion.VERSION2, "example-paho", protocol=mqtt.MQTTv5)
client.on_connect, client.on_subscribe, client.on_message = on_connect, on_subscribe, on_message
client.connect(host, int(port), clean_start=False, properties=session)
client.loop_forever()
