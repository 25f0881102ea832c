/** Practice at a simulated table: the person's hands at the devices. A table with a real device has none of this. */
import { html } from "/static/vendor/htm-preact.js";
import { get, post } from "/static/shared/api.js";
import { LONG_KEYS } from "/static/dealer/keys.js";

/** What can be done at each kind of device. */
const ACTS = {
  shoe: ["deal", "pack"],
  shuffler: ["packet", "jam", "unjam"],
  wheel: ["spin"],
  dice: ["throw"],
};

/** Asks once whether a simulation listens for a person's hands. */
export async function findPractice(desk) {
  if (!desk.state.simulated || desk.practice !== null) return;
  desk.practice = false;
  const { running } = await get("/v1/practice").catch(() => ({ running: false }));
  desk.set({ practice: running });
}

/** Whether a hand may go to a device: one act at a time, at a table that is heard. */
export const ready = ({ acting, connection }) => acting === null && connection === "connected";

/** Does an act at a device; the table hears of it from there. A second tap doesn't do it again. */
export async function practise(desk, act, device) {
  if (!ready(desk)) return;
  desk.set({ acting: act, notice: null });
  desk.settle();
  const how = act === "throw" ? { count: desk.layout.dice } : act === "packet" ? { count: packetOf(desk) } : {};
  try {
    await post("/v1/practice", { do: act, ...how, ...(device ? { device } : {}) });
  } catch (error) {
    desk.set({ notice: { kind: "failed", verb: act, error } });
  } finally {
    desk.set({ acting: null });
    desk.settle();
  }
}

/** Cards that the shuffler delivers to a hand at once. */
const packetOf = ({ layout, state }) => (layout.game === "football_poker" ? (state.phase === "thirds" ? 1 : 2) : layout.cards);

/** The act at a device that the table waits for; null where it waits for none, or where devices are real. */
export function dueAct(desk) {
  const { device } = desk.state.next;
  if (!desk.practice || !device || device === "draw") return null;
  return device === "deal" && desk.state.round.dealing === "shuffler" ? "packet" : device;
}

/** Every device with what a person can do at it. */
export function Hands({ desk }) {
  if (!desk.practice) return null;
  const { words, layout, state } = desk;
  const actsAt = ({ name, kind }) => [...(ACTS[kind] ?? []), state.devices.find((one) => one.name === name)?.attached ? "unplug" : "plug"];
  const keys = LONG_KEYS.values();
  return html`<h2>${words.say("page.dealer.practice.title")}</h2>
    ${layout.devices.map((device) => html`<div class="hands-at" key=${device.name}>
      <b>${words.first([`device.${device.name}`, device.name])}</b>
      ${actsAt(device).map((act) => html`
        <button type="button" class="button" data-practice=${`${device.name}/${act}`} data-key=${keys.next().value} aria-disabled=${!ready(desk)}
          onClick=${() => practise(desk, act, act.endsWith("plug") ? device.name : undefined)}>${words.say(`page.dealer.practice.${act}`)}</button>`)}
    </div>`)}`;
}
