/** A tile for each table, by pit; those that need somebody first. */
import { Component, html, useState } from "/static/vendor/htm-preact.js";
import { alarmsOf } from "/static/floor/alarms.js";
import { sayResult, term } from "/static/surveillance/speech.js";

const HOUR_MS = 3_600_000;
const LAMPS = { ready: "good", degraded: "warn", passive: "warn", init: "warn", lost: "bad", stopped: "bad" };

export function Tiles({ words, say, tiles, open }) {
  const [wanted, setWanted] = useState({ text: "", pit: "", game: "", only: "" });
  const set = (key) => (event) => setWanted({ ...wanted, [key]: event.target.value });
  const found = tiles.filter((tile) => fits(tile, wanted));
  const pits = [...new Set(found.map((tile) => tile.pit))].sort((one, other) => (one === "") - (other === "") || one.localeCompare(other));
  const choice = (key, values, named) => html`<label>${say(key)}
    <select value=${wanted[key]} onChange=${set(key)}>
      <option value="">${words.say("page.surveillance.all")}</option>
      ${values.map((value) => html`<option key=${value} value=${value}>${named(value)}</option>`)}
    </select></label>`;
  return html`<div class="filters">
      <label class="search">${words.say("page.surveillance.search")}<input type="search" value=${wanted.text} maxlength="70" onInput=${set("text")} /></label>
      ${choice("pit", several(tiles, "pit"), (pit) => pit)}
      ${choice("game", several(tiles, "game"), (game) => words.say(`game.${game}`))}
      ${choice("only", ["wrong", "slow", "incomplete"], (name) => say(`only_${name}`))}
      <p class="faint">${say("tables_of", { count: found.length, all: tiles.length })}</p>
    </div>
    ${found.length === 0 && html`<p class="faint hint">${say(tiles.length ? "none_fits" : "no_tables")}</p>`}
    ${pits.map((pit) => html`<section class="pit" key=${pit} aria-label=${pit || say("no_pit")}>
      <h2>${pit || say("no_pit")}</h2>
      <ul class="tiles">
        ${inOrder(found.filter((tile) => tile.pit === pit)).map((tile) => html`
          <${Tile} key=${tile.place} words=${words} language=${words.language} say=${say} tile=${tile} open=${open} />`)}
      </ul>
    </section>`)}`;
}

/** Drawn again only when it changes: there may be thousands. */
class Tile extends Component {
  shouldComponentUpdate(next) {
    return next.tile !== this.props.tile || next.language !== this.props.language;
  }

  render({ words, say, tile, open }) {
    const lamp = LAMPS[tile.status] ?? "warn";
    const alarms = alarmsOf(tile);
    const worst = alarms.some((each) => each.severity === "error") ? "bad" : alarms.length ? "warn" : "";
    return html`<li class=${`tile tile-${worst || lamp}`} data-place=${tile.place}>
      <button class="tile-name" onClick=${() => open(tile.place)}>${tile.place}</button>
      <p class="faint">${tile.game ? words.say(`game.${tile.game}`) : "–"}</p>
      <p class=${`lamp lamp-${lamp}`}>${say(`status.${tile.status || "unknown"}`)}${tile.status === "ready" && tile.phase ? ` · ${term(words, "phase", tile.phase, tile.game)}` : ""}</p>
      <p class=${isSlow(tile) ? "slow" : ""}>${say(tile.pace_goal ? "pace_of" : "pace", { count: tile.pace, goal: tile.pace_goal })}</p>
      <p>${tile.last ? html`<span class="time">${tile.last.time.slice(11, 19)}</span> ${sayResult(words, { ...tile.last, game: tile.game })}` : html`<span class="faint">${say("no_result")}</span>`}</p>
      ${alarms.length > 0 && html`<p class=${`lamp lamp-${worst}`}>${say("alarms_count", { count: alarms.length })}: ${alarms[0].code} ${words.pick(alarms[0].text)}</p>`}
      ${tile.fairness_alarms > 0 && html`<p class="lamp lamp-warn">${say("unfair")}</p>`}
      ${tile.recorded && !tile.recorded.complete && html`<p class="lamp lamp-warn">${say("record_incomplete")}</p>`}
      ${tile.program === "mismatch" && html`<p class="lamp lamp-bad">${say("program_differs")}</p>`}
    </li>`;
  }
}

const several = (tiles, key) => [...new Set(tiles.map((tile) => tile[key]))].filter(Boolean).sort();
const isSlow = (tile) => tile.pace_goal && tile.pace < tile.pace_goal * shareOfHour(tile.status_since);
const isWrong = (tile) => tile.status !== "ready" || alarmsOf(tile).length > 0 || tile.fairness_alarms > 0 || tile.program === "mismatch";

/** How much of the last hour a table was there. */
const shareOfHour = (since) => (since ? Math.min(1, Math.max(0, (Date.now() - Date.parse(since)) / HOUR_MS)) : 1);

function fits(tile, { text, pit, game, only }) {
  if ((pit && tile.pit !== pit) || (game && tile.game !== game)) return false;
  if (only === "wrong" && !isWrong(tile)) return false;
  if (only === "slow" && !isSlow(tile)) return false;
  if (only === "incomplete" && tile.recorded?.complete !== false) return false;
  return tile.place.includes(text.trim().toLowerCase());
}

const BY_NUMBER = new Intl.Collator("en", { numeric: true });
const byPlace = (one, other) => BY_NUMBER.compare(one.place, other.place);

/** Those with a problem first, each group by the tables' names. */
function inOrder(tiles) {
  const [wrong, well] = [[], []];
  for (const tile of tiles) (isWrong(tile) ? wrong : well).push(tile);
  return [...wrong.sort(byPlace), ...well.sort(byPlace)];
}
