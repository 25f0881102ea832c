/** The desk: what stands now on the left, lists in the middle, the opened round on the right. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { follow, signOff } from "/static/shared/api.js";
import { DemoBand, Languages, NotConnected } from "/static/shared/parts.js";
import { Alarms } from "/static/surveillance/alarms.js";
import { Bookmark } from "/static/surveillance/bookmark.js";
import { Events } from "/static/surveillance/events.js";
import { Fairness } from "/static/surveillance/fairness.js";
import { Lamp, unbroken, watched } from "/static/surveillance/lamp.js";
import { Now } from "/static/surveillance/now.js";
import { Opened } from "/static/surveillance/opened.js";
import { Rounds } from "/static/surveillance/rounds.js";
import { Statistics } from "/static/surveillance/statistics.js";
import { Tabs } from "/static/surveillance/tabs.js";

const VIEWS = { rounds: Rounds, events: Events, statistics: Statistics, fairness: Fairness };

export function Desk({ words, layout, who, leave }) {
  const live = useLive(leave);
  const [view, setView] = useState("rounds");
  const [opened, setOpened] = useState(null);
  const [marked, setMarked] = useState(null);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  const shared = { words, api: "/v1", layout, who, live, opened, open: setOpened, mark: setMarked };
  const View = VIEWS[view];
  return html`<div class="desk">
    <header class="top">
      <${DemoBand} simulated=${live.state?.simulated} words=${words} />
      <h1>${say("title")} <span class="faint">${layout.site}/${layout.table} · ${words.say(`game.${layout.game}`)}</span></h1>
      <${Lamp} words=${words} feed=${live.status === "connected" ? live.feed : null} whole=${live.whole} />
      <${Languages} words=${words} short />
      <span class="who">${who.person}${" "}<span class="faint">${words.say(`role.${who.role}`)}</span></span>
      <button class="button" onClick=${() => signOff().then(leave, leave)}>${say("sign_off")}</button>
    </header>
    <main class="work">
      <${NotConnected} status=${live.status} words=${words} />
      <section class="side" aria-label=${say("now")}>
        <${Now} ...${shared} />
        <${Alarms} ...${shared} />
        <${Bookmark} ...${shared} marked=${marked} />
      </section>
      <section class="lists" aria-label=${say("recorded")}>
        <${Tabs} words=${words} names=${Object.keys(VIEWS)} chosen=${view} choose=${setView} />
        <div class="view" id="view" role="tabpanel" aria-labelledby=${`tab-${view}`} tabindex="0"><${View} ...${shared} /></div>
      </section>
      <section class="opened" key=${opened} aria-label=${say("opened")} tabindex="0"><${Opened} ...${shared} /></section>
    </main>
  </div>`;
}

/**
 * The table as it changes: its state, the number of the newest event that is known, how far the events have come.
 *
 * Events only say here that there is something new: lists fetch them, with their words, as far as they show them.
 */
function useLive(leave) {
  const [status, setStatus] = useState("connecting");
  const [state, setState] = useState(null);
  const [feed, setFeed] = useState(null);
  const [whole, setWhole] = useState(null);
  const [news, setNews] = useState({ events: 0, rounds: 0 });
  const gone = useRef(leave);
  gone.current = leave;
  useEffect(() => {
    const following = follow("/v1/live?events=true", {
      signedOn: true,
      status: (now) => {
        if (now === "signed_off") return gone.current();
        if (now !== "connected") setWhole(null); // it goes on with the present: what came meanwhile it hasn't seen
        setStatus(now);
      },
      message: (message) => {
        if (message.type === "state") setState(message.state);
        const now = new Date().toISOString();
        if (message.type === "feed") {
          setFeed((before) => watched(before, message, performance.now()));
          setWhole((before) => before ?? { since: now, first: message.stored + 1, last: message.stored });
        }
        if (message.type === "events") {
          setNews((before) => told(before, message.events));
          setWhole((before) => unbroken(before, message.events.map((event) => Number(event.sequence)), now));
        }
      },
    });
    return () => following.close();
  }, []);
  return { status, state, feed, whole, news };
}

/** How often there were new events, and new beginnings or ends of rounds or changes of these. */
function told(before, events) {
  const rounds = events.some((event) => /\.round\.(opened|settled|void|irregular|amended|reopened|corrected)\./.test(event.type));
  return { events: before.events + 1, rounds: before.rounds + (rounds ? 1 : 0) };
}
