/** One table opened: what stands now, its alarms, and what a recorder has kept of it. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { Alarm } from "/static/floor/alarms.js";
import { Money } from "/static/floor/money.js";
import { Events } from "/static/surveillance/events.js";
import { Fairness } from "/static/surveillance/fairness.js";
import { Opened } from "/static/surveillance/opened.js";
import { Rounds } from "/static/surveillance/rounds.js";
import { term } from "/static/surveillance/speech.js";
import { Statistics } from "/static/surveillance/statistics.js";
import { Tabs } from "/static/surveillance/tabs.js";

const VIEWS = { rounds: Rounds, events: Events, statistics: Statistics, fairness: Fairness, money: Money };

/** The recorder has an event a little later than the tile shows it. */
const KEPT_AFTER_MS = 1500;

export function Table({ words, who, say, place, tile, back }) {
  const [view, setView] = useState("rounds");
  const [opened, setOpened] = useState(null);
  const news = useLater(tile);
  if (!tile) return html`<main class="floor-view"><p class="hint">${say("unknown_table", { place })}</p></main>`;
  const shared = { words, say, place, api: `/v1/tables/${place}`, live: { news: { rounds: news, events: news } }, opened, open: setOpened };
  const View = VIEWS[view];
  return html`<main class="work">
    <section class="side" aria-label=${words.say("page.surveillance.now")}>
      <button class="button" onClick=${back}>← ${say("tables")}</button>
      <${Now} words=${words} say=${say} tile=${tile} open=${setOpened} />
      <div class="box alarms">
        <h2>${words.say("page.surveillance.alarms")} <span class="faint">${tile.alarms.length}</span></h2>
        ${tile.alarms.length === 0 && html`<p class="faint">${words.say("page.surveillance.no_alarms")}</p>`}
        <ul>${tile.alarms.map((alarm) => html`<${Alarm} key=${`${alarm.code} ${alarm.device}`} words=${words} who=${who} say=${say} place=${place} alarm=${alarm} />`)}</ul>
      </div>
    </section>
    <section class="lists" aria-label=${words.say("page.surveillance.recorded")}>
      <${Tabs} words=${words} names=${Object.keys(VIEWS)} chosen=${view} choose=${setView} />
      <div class="view" id="view" role="tabpanel" aria-labelledby=${`tab-${view}`} tabindex="0"><${View} ...${shared} /></div>
    </section>
    <section class="opened" key=${opened} aria-label=${words.say("page.surveillance.opened")} tabindex="0"><${Opened} ...${shared} /></section>
  </main>`;
}

function Now({ words, say, tile, open }) {
  const recorded = tile.recorded;
  return html`<div class="box">
    <h2>${tile.place}</h2>
    <p class="waiting">${words.pick(tile.waiting)}</p>
    <dl class="pairs">
      <dt>${say("head.game")}</dt><dd>${tile.game ? words.say(`game.${tile.game}`) : "–"}</dd>
      <dt>${say("head.pit")}</dt><dd>${tile.pit || say("no_pit")}</dd>
      <dt>${say("head.state")}</dt><dd>${say(`status.${tile.status || "unknown"}`)}</dd>
      <dt>${words.say("page.surveillance.phase")}</dt><dd>${tile.phase ? term(words, "phase", tile.phase, tile.game) : "–"}</dd>
      <dt>${words.say("page.surveillance.round")}</dt>
      <dd>${tile.round_id ? html`<button class="link" onClick=${() => open(tile.round_id)}>${tile.round_id}</button>` : "–"}</dd>
      <dt>${say("head.pace")}</dt><dd>${say(tile.pace_goal ? "pace_of" : "pace", { count: tile.pace, goal: tile.pace_goal })}</dd>
      <dt>${say("head.version")}</dt><dd>${tile.version || "–"}</dd>
      <dt>${say("head.record")}</dt>
      <dd>${recorded ? html`<span class=${`lamp lamp-${recorded.complete ? "good" : "warn"}`}>${say(recorded.complete ? "record_complete" : "record_incomplete")}</span>` : "–"}
        ${recorded?.wrong.map((why) => html`<p key=${why.en} class="faint">${words.pick(why)}</p>`)}</dd>
    </dl>
  </div>`;
}

/** Counts the changes of a tile, each once the recorder should have what led to it. */
function useLater(tile) {
  const [news, setNews] = useState(0);
  const timer = useRef(0);
  useEffect(() => {
    timer.current ||= setTimeout(() => {
      timer.current = 0;
      setNews((before) => before + 1);
    }, KEPT_AFTER_MS);
  }, [tile]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return news;
}
