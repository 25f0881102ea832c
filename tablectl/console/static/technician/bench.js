/** The bench: faults and the log on the left, the devices in the middle, the chosen device on the right. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { follow, signOff } from "/static/shared/api.js";
import { DemoBand, Languages, NotConnected, Theme } from "/static/shared/parts.js";
import { Alarms } from "/static/surveillance/alarms.js";
import { useAnswer } from "/static/surveillance/paged.js";
import { explainError } from "/static/surveillance/speech.js";
import { Device } from "/static/technician/device.js";
import { Log } from "/static/technician/log.js";

/** How often what the devices say is asked for again. */
const AGAIN_MS = 2000;

export function Bench({ words, layout, who, leave }) {
  const { status, state } = useTable(leave);
  const tick = useTick(status === "connected");
  const [told, error] = useAnswer(() => "/v1/workshop/devices", [tick]);
  const [chosen, choose] = useState(null);
  const [hours, setHours] = useState(4);
  const say = (key, values) => words.say(`page.technician.${key}`, values);
  const now = new Map((state?.devices ?? []).map((each) => [each.name, each]));
  const device = told?.devices.find((each) => each.name === chosen) ?? told?.devices[0];
  return html`<div class="desk bench">
    <header class="top">
      <${DemoBand} simulated=${state?.simulated} words=${words} />
      <h1>${say("title")} <span class="faint">${layout.site}/${layout.table} · ${words.say(`game.${layout.game}`)}</span></h1>
      <${Languages} words=${words} short />
      <${Theme} words=${words} />
      <span class="who">${who.person}${" "}<span class="faint">${words.say(`role.${who.role}`)}</span></span>
      <button class="button" onClick=${() => signOff().then(leave, leave)}>${words.say("page.surveillance.sign_off")}</button>
    </header>
    <main class="work">
      <${NotConnected} status=${status} words=${words} />
      <section class="side" aria-label=${words.say("page.surveillance.alarms")} tabindex="0">
        <${Alarms} words=${words} who=${who} live=${{ state }} />
        <${Log} words=${words} say=${say} />
        <div class="box">
          <h2>${say("take")}</h2>
          <label class="hours">${say("hours")}<input type="number" min="1" max="999" value=${hours} onInput=${(event) => setHours(event.target.value)} /></label>
          <a class="button" href=${`/v1/workshop/frames?hours=${encodeURIComponent(hours)}`} download>${say("take_frames")}</a>
          <a class="button" href=${`/v1/workshop/bundle?hours=${encodeURIComponent(hours)}`} download>${say("take_bundle")}</a>
          <p class="faint">${say("bundle_means")}</p>
        </div>
      </section>
      <section class="opened" aria-label=${say("devices")} tabindex="0">
        <p role="alert">${error ? explainError(words, error) : ""}</p>
        ${told?.devices.length === 0 && html`<p class="faint hint">${say("no_devices")}</p>`}
        <div class="device-choice" role="group" aria-label=${say("devices")}>
          ${told?.devices.map((each) => html`<button key=${each.name} class="button" aria-pressed=${String(each.name === device.name)} onClick=${() => choose(each.name)}>
            <span class=${`lamp lamp-${now.get(each.name)?.attached ? "good" : "bad"}`}>${words.first([`device.${each.name}`, each.name])}</span>
          </button>`)}
        </div>
        ${device && html`<${Device} key=${device.name} words=${words} say=${say} device=${device} now=${now.get(device.name)} state=${state} tick=${tick} />`}
      </section>
    </main>
  </div>`;
}

/** The table's state as it changes. */
function useTable(leave) {
  const [status, setStatus] = useState("connecting");
  const [state, setState] = useState(null);
  const gone = useRef(leave);
  gone.current = leave;
  useEffect(() => {
    const following = follow("/v1/live", {
      signedOn: true,
      status: (now) => (now === "signed_off" ? gone.current() : setStatus(now)),
      message: (message) => message.type === "state" && setState(message.state),
    });
    return () => following.close();
  }, []);
  return { status, state };
}

/** Counts on while `goes`, and while somebody looks. */
function useTick(goes) {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!goes) return undefined;
    const timer = setInterval(() => document.hidden || setTick((before) => before + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, [goes]);
  return tick;
}
