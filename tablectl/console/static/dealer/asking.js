/** From the first tap on a request to the table's answer: what is missing is asked for, one field after the other. */
import { isIrregular, nextQuestion, offersOf, proposalOf, told } from "/static/dealer/offers.js";

/** Entries that nobody takes back alone, and so are shown with what follows before they go out, as all irregular ones are. */
const FINAL = new Set(["decide", "declare_spin", "enter_dice", "end_round"]);

/** Entries of which only the last is final, and only where a person typed what lies there. */
const TYPED = { open_hand: "cards", show_tiers: "rows" };

/**
 * Begins a request, of the state whose button was tapped. One that needs nothing more, and isn't out of the ordinary, goes
 * out at once; one for which the table proposes values is shown with them, to be confirmed or entered otherwise.
 */
export function begin(desk, verb, values, shown) {
  const proposed = proposalOf(desk.offers, verb, values);
  const form = { verb, values: { ...values, ...proposed }, given: Object.keys(proposed ?? {}), proposed: Boolean(proposed), second: null, outcome: null, shown };
  desk.set({ form, amend: null, notice: null });
  goOn(desk);
}

/** Takes what the dealer has entered for a field. */
export function answer(desk, name, value) {
  const { form } = desk;
  desk.set({ form: { ...form, values: { ...form.values, [name]: value }, given: [...form.given, name], proposed: false, outcome: null } });
  goOn(desk);
}

/** One answer back, or, where there is none, out. */
export function back(desk) {
  const { form } = desk;
  if (!form.given.length) return desk.set({ form: null });
  const last = form.given[form.given.length - 1];
  const { [last]: _, ...values } = form.values;
  desk.set({ form: { ...form, values, given: form.given.slice(0, -1), proposed: false, second: null, outcome: null } });
}

/** What is asked next for the request that is being entered. What goes without saying isn't asked. */
export function question(desk) {
  const { form } = desk;
  const meta = desk.verbs.get(form.verb);
  const offers = offersOf(desk.offers, form.verb);
  let next = nextQuestion(meta, offers, form.values);
  for (let known; next.field && (known = knownOf(desk, next)) !== undefined; ) {
    next = nextQuestion(meta, offers, { ...next.values, [next.field.name]: known });
  }
  return next;
}

/** The value of a field that only one thing can be: undefined where a person has to say it. */
function knownOf(desk, { field, values }) {
  if (!isIrregular(desk.form.verb) || !field.optional) return undefined;
  const declared = (desk.layout.irregularities ?? []).find((one) => one.kind === values.kind);
  if (declared && !declared.needs.includes(field.name)) return null;
  if (field.name !== "bettor") return undefined;
  if (values.place === null) return null;
  const here = (desk.state.round.bets ?? []).filter((bet) => bet.place === values.place);
  const bettors = [...new Set(here.map((bet) => bet.bettor))];
  return bettors.length > 1 ? undefined : (bettors[0] ?? null);
}

/** Sets another field of the request beside the one that is asked for. */
export function set(desk, name, value) {
  const { form } = desk;
  desk.set({ form: { ...form, values: { ...form.values, [name]: value } } });
}

/** The roles of which a second person has to put in their PIN as well; none where one person is enough. */
export function secondRoles(desk, verb) {
  if (!desk.verbs.get(verb).second && !desk.form?.second) return [];
  if (desk.who.role === "dealer") return ["supervisor"];
  return verb === "correct_round" ? ["dealer", "supervisor"] : [];
}

/** Sends what was entered, in view of the state that was shown when the dealer began. */
export async function submit(desk, second = null) {
  const { form } = desk;
  const { values } = question(desk);
  const sent = await desk.send(form.verb, told(values), form.shown, second);
  if (desk.form?.shown !== form.shown) return;
  if (sent?.accepted) {
    desk.set({ form: null, tab: "steps" });
    // A hand that was turned up is followed by how it lies.
    const lies = desk.offers.find((offer) => offer.allowed && offer.proposed && offer.fields.place === values.place);
    if (form.verb === "open_hand" && lies) begin(desk, lies.verb, lies.fields, desk.shown);
  }
  // An outcome can be seen that this would undo, or the last round isn't paid: a supervisor agrees.
  else if (sent?.secondNeeded || sent?.refused?.code === "payments_outstanding") desk.set({ form: { ...form, second: true } });
  // A second person who mistypes their PIN tries again.
  else if (sent || !second) leave(desk, sent);
}

/** Whether what follows of a request is to be seen before it goes out. */
export const isFinal = ({ verb, given }) => FINAL.has(verb) || (isIrregular(verb) && verb !== "correct_round") || given.includes(TYPED[verb]);

/** Asks the table what would follow. A typed hand that doesn't end the round goes out at once; what was proposed never does. */
async function foresee(desk) {
  const { form } = desk;
  desk.settle();
  const outcome = await desk.send(form.verb, told(question(desk).values), form.shown, null, { dry: true });
  if (desk.form !== form) return;
  if (!outcome || outcome.refused) leave(desk, outcome);
  else if (TYPED[form.verb] && !form.proposed && !outcome.nets.after) submit(desk);
  else desk.set({ form: { ...form, outcome, second: outcome.needs_second } });
}

/** Goes back from what the table didn't take: what was entered can be corrected without beginning anew. */
function leave(desk, sent) {
  const isStale = sent?.refused?.code === "stale_screen";
  if (desk.form.given.length && !isStale) back(desk);
  else desk.set({ form: null });
}

function goOn(desk) {
  const { form } = desk;
  if (question(desk).field) return;
  if (isFinal(form)) foresee(desk);
  else if (!isIrregular(form.verb) && !secondRoles(desk, form.verb).length) submit(desk);
}
