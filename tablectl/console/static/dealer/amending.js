/** From a wrong line to the table's answer: what is so instead, why, what would follow, and only then the word. */
import { get } from "/static/shared/api.js";
import { asSent, counting, fieldsOf } from "/static/dealer/amend_values.js";

/** The rounds that can be put right here: the open one, and the last that ended. */
export const roundsToAmend = ({ state }) => [...new Set([state.round_id, state.result?.round_id])].filter(Boolean);

/** Whether there is anything to put right, and who is signed on may. */
export const amendable = (desk) => Boolean(desk.verbs.get("amend")?.roles.includes(desk.who.role)) && roundsToAmend(desk).length > 0;

/** The facts of a round, as `{round_id, seen, records}`. */
export const recordsOf = (round) => get(`/v1/rounds/${encodeURIComponent(round)}/records`);

/** Begins to put a line right; a line that has one field only is asked for that at once. */
export function putRight(desk, list, line, { struck, undone = false }) {
  const fields = struck ? [] : fieldsOf(desk, line);
  const field = fields.length === 1 ? fields[0].name : null;
  const with_ = undone ? null : gatheredOf(desk, list.round_id);
  const shown = with_?.shown ?? { seen: list.seen, round_id: list.round_id };
  desk.set({ amend: { line, struck, undone, shown, also: with_?.changes ?? [], field, values: {}, reason: "", outcome: null, missing: [], done: false }, notice: null });
}

/** Prepares to undo the newest entry of who is signed on, in the open round or the last one: what would follow is shown at once. */
export async function undo(desk) {
  const [round] = roundsToAmend(desk);
  const list = await recordsOf(round).catch(() => null);
  if (!list) return;
  const own = ({ by, verb, amendable, amended_by: amended, now }) => by === desk.who.person && verb !== "amend" && amendable && !(amended && now === null);
  const line = list.records.findLast(own);
  if (!line) return desk.set({ notice: { kind: "nothing" } });
  if (line.strikable === false) return desk.set({ notice: { kind: "opening" } });
  putRight(desk, list, line, { struck: true, undone: true });
  await preview(desk, desk.words.say("page.dealer.amend.reason.undone"));
  if (desk.amend?.line === line && !desk.amend.outcome && !desk.amend.missing.length) desk.set({ amend: null });
}

export const change = (desk, changes) => desk.set({ amend: { ...desk.amend, ...changes } });

/** Takes what a field is said to be. */
export function say(desk, name, value, { stay = false } = {}) {
  const { amend } = desk;
  change(desk, { values: { ...amend.values, [name]: asSent(name, value) }, field: stay ? amend.field : null });
}

/** What is said anew: the fields that differ from what counts; null where the fact didn't happen. */
function said({ line, struck, values }) {
  if (struck) return null;
  const now = counting(line);
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name])));
}

/** Whether there is anything to put right. */
export const differs = (amend) => amend.struck || Object.keys(said(amend)).length > 0;

const asked = (amend, reason) => ({ reason, changes: [...amend.also, { record: amend.line.record, to: said(amend) }] });

/** What was said of other lines of a round, and goes out with the next one; null where nothing was. */
export const gatheredOf = ({ gathered }, round) => (gathered?.shown.round_id === round ? gathered : null);

/** Keeps what was said, so that it goes out in one amendment with what is said of another line. */
export function gather(desk) {
  const { amend } = desk;
  desk.set({ gathered: { shown: amend.shown, changes: asked(amend, "").changes }, amend: null, tab: "amend", touched: null });
}

/** Asks what would follow; nothing is changed yet. */
export async function preview(desk, reason) {
  const { amend } = desk;
  take(desk, amend, await desk.send("amend", asked(amend, reason), amend.shown, null, { dry: true }), (outcome) => ({ outcome, reason }));
}

/** Sends it, as it was shown. */
export async function confirm(desk, second = null) {
  const { amend } = desk;
  take(desk, amend, await desk.send("amend", asked(amend, amend.reason), amend.shown, second), (outcome) => ({ outcome, done: true }));
  if (desk.amend?.done && !amend.undone) desk.set({ gathered: null });
  // What was undone and moves no money leaves nothing to be read.
  if (desk.amend?.done && amend.undone && ![...(desk.amend.outcome.to_pay ?? []), ...(desk.amend.outcome.to_take_back ?? [])].length) desk.set({ amend: null });
}

/** Goes by the table's answer: on, back to what was said, or, where the round was amended since, back to its list. */
function take(desk, amend, answer, next) {
  if (desk.amend?.line !== amend.line || !answer) return;
  if (answer.refused?.code === "stale_screen") return desk.set({ amend: null, gathered: null });
  if (answer.secondNeeded) return change(desk, { outcome: { ...amend.outcome, needs_second: true } });
  if (answer.refused) return change(desk, { outcome: null, missing: answer.refused.asks_again ?? [] });
  change(desk, { ...next(answer), missing: [] });
}

/** One step back, or, where there is none, to the list. */
export function back(desk) {
  const { amend } = desk;
  if (amend.undone || (!amend.outcome && !amend.field)) return desk.set({ amend: null });
  change(desk, amend.outcome ? { outcome: null } : { field: null });
}

/** The roles of whom a second person has to be, where one is needed. */
export const seconds = ({ who, amend }) => (amend.outcome.needs_second ? (who.role === "dealer" ? ["supervisor"] : ["dealer", "supervisor"]) : []);
