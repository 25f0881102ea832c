// Prints how a table's rounds end, with Node.js: npm install mqtt; node consumer.mjs HOST PORT SITE/TABLE
import mqtt from "mqtt";

const [host, port, table] = process.argv.slice(2);
const last = new Map(); // by log: an event may come twice, with the same sequence
const ends = new Set(["round.settled", "round.corrected", "round.void"]);
const client = mqtt.connect(`mqtt://${host}:${port}`, {
  clientId: "example-node",
  protocolVersion: 5,
  clean: false,
  properties: { sessionExpiryInterval: 86_400 }, // seconds for which the broker keeps events while this program is away
});
client.on("connect", () => client.subscribe(`tablectl/v1/${table}/event/#`, { qos: 1 }, () => console.error("listening")));
client.on("message", (_topic, payload) => {
  const event = JSON.parse(payload);
  const sequence = Number(event.sequence);
  if (sequence <= (last.get(event.source) ?? 0)) return;
  last.set(event.source, sequence);
  const kind = event.type.replace("mo.tablectl.", "").replace(/\.v1$/, "");
  if (ends.has(kind)) console.log(event.sequence, kind, event.data.round_id);
});
