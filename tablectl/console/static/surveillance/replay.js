/** A round played again on the felt, fact by fact, each as everybody saw it then, at its own pace or another. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { get } from "/static/shared/api.js";
import { explainError, timeOf } from "/static/surveillance/speech.js";

const FELT_STYLE = "/static/dealer/felt.css";
const FOLDED_WITHIN_MS = 60000;
const SPEEDS = [1, 2, 5, 20];

/** The button, and once it was touched the felt over all else. */
export function Replay({ words, api, layout, round }) {
  const [shown, setShown] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const begin = async () => {
    setBusy(true);
    setError(null);
    try {
      const [{ frames }, { Felt }] = await Promise.all([
        get(`${api}/rounds/${encodeURIComponent(round.round_id)}/replay`, FOLDED_WITHIN_MS), import("/static/dealer/felt/felt.js"), styled(),
      ]);
      setShown({ frames, Felt });
    } catch (failed) {
      if (failed.status === undefined) throw failed;
      setError(failed);
    }
    setBusy(false);
  };
  return html`<p><button class="button" data-replay aria-disabled=${busy} onClick=${begin}>${words.say("page.surveillance.replay.begin")}</button></p>
    <p role="alert">${error ? explainError(words, error) : shown && !shown.frames.length ? words.say("page.surveillance.replay.none") : ""}</p>
    ${shown?.frames.length ? html`<${Player} words=${words} layout=${layout} round=${round} ...${shown} leave=${() => setShown(null)} />` : null}`;
}

/** The felt's own style is there only as long as the felt is. */
function styled() {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: FELT_STYLE });
  return new Promise((done) => {
    link.onload = link.onerror = done;
    document.head.append(link);
  });
}

const unstyled = () => document.querySelectorAll(`link[href="${FELT_STYLE}"]`).forEach((link) => link.remove());

function Player({ words, layout, round, frames, Felt, leave }) {
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(true);
  const [speed, setSpeed] = useState(1);
  const dialog = useRef(null);
  useEffect(() => (dialog.current.showModal(), unstyled), []);
  useEffect(() => {
    if (!playing || at === frames.length - 1) return undefined;
    const timer = setTimeout(() => setAt(at + 1), (Date.parse(frames[at + 1].time) - Date.parse(frames[at].time)) / speed);
    return () => clearTimeout(timer);
  }, [at, playing, speed]);
  const frame = frames[at];
  const say = (key, values) => words.say(`page.surveillance.replay.${key}`, values);
  const go = (to) => (setPlaying(false), setAt(Math.min(Math.max(to, 0), frames.length - 1)));
  const ended = at === frames.length - 1;
  const play = () => (ended ? setAt(0) : null, setPlaying(ended || !playing));
  return html`<dialog class="replay" ref=${dialog} onClose=${leave} aria-label=${say("begin")} data-at=${at} data-record=${frame.record}>
    <header class="replay-line">${round.simulated ? html`<strong class="demo-band">${words.say("explain.simulated")}</strong>` : null}<span>${round.round_id} · <span class="time">${timeOf(frame.time)}</span> UTC</span>
      <p>${words.pick(frame.waiting)}</p>
      <button class="button" data-leave onClick=${() => dialog.current.close()}>${say("leave")}</button></header>
    <div inert style=${{ display: "grid", minHeight: 0 }}><${Felt} desk=${deskOf(words, layout, stateOf(frame, resultOf(round, frames)))} /></div>
    <footer class="replay-keys">
      <button class="button" data-step="-1" aria-label=${say("before")} onClick=${() => go(at - 1)}>|◀</button>
      <button class="button" data-play aria-label=${say(playing && !ended ? "pause" : "play")} onClick=${play}>${playing && !ended ? "▮▮" : "▶"}</button>
      <button class="button" data-step="1" aria-label=${say("next")} onClick=${() => go(at + 1)}>▶|</button>
      <input type="range" min="0" max=${frames.length - 1} value=${at} aria-label=${say("fact")} onInput=${(event) => go(Number(event.target.value))} />
      <span>${at + 1}/${frames.length}</span>
      ${SPEEDS.map((times) => html`<button class="button" key=${times} data-speed=${times} aria-pressed=${String(times === speed)} onClick=${() => setSpeed(times)}>${times}×</button>`)}
    </footer>
  </dialog>`;
}

/** How the round ended, in the form in which the table tells its last result. */
function resultOf({ round_id, end, settled, reason, article, returned }, frames) {
  const laid = frames.findLast((frame) => frame.round_id === round_id && frame.round.bets?.length)?.round;
  if (end === "void") return { round_id, void: true, reason, article, returned, hands: laid?.hands ?? [] };
  return end ? { round_id, void: false, ...settled, bets: laid?.bets ?? [] } : null;
}

/** A time that ends is one of the past: it isn't counted down again. */
const stateOf = (frame, result) => ({ ...frame, round: { ...frame.round, time_ends: null }, result, next: {}, payment: [] });

/** A desk at which nothing can be touched. */
const deskOf = (words, layout, state) => ({
  words, layout, state, offers: [], verbs: new Map(), form: null, place: null, tab: "", live: false, connection: "connected",
  tray: { chip: null, bettor: null, back: false }, set: () => {}, watch: () => () => {},
});
