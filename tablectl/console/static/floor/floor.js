/** The floor: all tables by pit, or one of the lists, or one table opened; the address says which. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { follow, signOff } from "/static/shared/api.js";
import { DemoBand, Languages, NotConnected, Theme } from "/static/shared/parts.js";
import { Alarms, alarmsOf } from "/static/floor/alarms.js";
import { Builds } from "/static/floor/builds.js";
import { Devices } from "/static/floor/devices.js";
import { Money } from "/static/floor/money.js";
import { Table } from "/static/floor/table.js";
import { Tiles } from "/static/floor/tiles.js";

const VIEWS = { tables: Tiles, alarms: Alarms, devices: Devices, builds: Builds, money: Money };
const TABLE = /^table\/([a-z0-9-]+\/[a-z0-9-]+)$/;

export function Floor({ words, who, leave }) {
  const { status, head, tiles, news } = useFloor(leave);
  const [where, go] = useAddress();
  const say = (key, values) => words.say(`page.floor.${key}`, values);
  const all = [...tiles.values()];
  const opened = TABLE.exec(where)?.[1];
  const alarms = all.reduce((sum, tile) => sum + alarmsOf(tile).length, 0);
  const view = VIEWS[where] ? where : "tables";
  const View = VIEWS[view];
  const shared = { words, who, say, tiles: all, open: (place) => go(`table/${place}`) };
  return html`<div class="desk floor">
    <header class="top">
      <${DemoBand} simulated=${all.some((tile) => tile.simulated)} words=${words} />
      <h1>${say("title")}</h1>
      <nav class="tabs" aria-label=${say("views")}>
        ${Object.keys(VIEWS).map((name) => html`
          <a key=${name} href=${`#${name}`} aria-current=${!opened && name === view ? "page" : null}>
            ${say(name)}${name === "alarms" && alarms ? html` <span class="count">${alarms}</span>` : null}</a>`)}
      </nav>
      <${Languages} words=${words} short />
      <${Theme} words=${words} />
      <span class="who">${who.person}${" "}<span class="faint">${words.say(`role.${who.role}`)}</span></span>
      <button class="button" onClick=${() => signOff().then(leave, leave)}>${words.say("page.surveillance.sign_off")}</button>
    </header>
    <${NotConnected} status=${status} words=${words} />
    <div role="status">
      ${words.pick(head.broker) && html`<p class="not-connected lamp lamp-bad">${say("no_broker")} <span class="faint">${words.pick(head.broker)}</span></p>`}
      ${words.pick(head.recorder) && html`<p class="not-connected lamp lamp-bad">${say("no_record")} <span class="faint">${words.pick(head.recorder)}</span></p>`}
    </div>
    ${opened
      ? html`<${Table} key=${opened} ...${shared} place=${opened} tile=${tiles.get(opened)} news=${news} back=${() => go("tables")} />`
      : html`<main class="floor-view"><${View} ...${shared} /></main>`}
  </div>`;
}

/** How long changes gather before they are drawn: thousands of tiles take a while, and messages don't wait for it. */
const GATHER_MS = 100;

/** The tiles as they change, by place. */
function useFloor(leave) {
  const [status, setStatus] = useState("connecting");
  const [head, setHead] = useState({ broker: {}, recorder: {} });
  const [tiles, setTiles] = useState(new Map());
  const [news, setNews] = useState(0);
  const gone = useRef(leave);
  gone.current = leave;
  useEffect(() => {
    const came = new Map();
    let timer = 0;
    const draw = () => {
      timer = 0;
      const changes = [...came];
      came.clear();
      setTiles((before) => new Map([...before, ...changes]));
      setNews((before) => before + 1);
    };
    const following = follow("/v1/live", {
      signedOn: true,
      status: (now) => (now === "signed_off" ? gone.current() : setStatus(now)),
      message: (message) => {
        if (message.type === "floor") setHead(message);
        if (message.type !== "tiles") return;
        for (const tile of message.tiles) came.set(tile.place, tile);
        timer ||= setTimeout(draw, GATHER_MS);
      },
    });
    return () => {
      clearTimeout(timer);
      following.close();
    };
  }, []);
  return { status, head, tiles, news };
}

/** What stands behind the # of the address: so a table can be linked to, and the browser goes back. */
function useAddress() {
  const read = () => location.hash.slice(1);
  const [where, setWhere] = useState(read());
  useEffect(() => {
    const changed = () => setWhere(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return [where, (to) => (location.hash = to)];
}
