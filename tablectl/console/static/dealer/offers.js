/**
 * What the table would allow, as it says itself, sorted for a screen. No rule of any game is known here.
 *
 * An offer is `{verb, fields, open, allowed, refused}`: `fields` are fixed, `open` is for a person to fill in.
 */

/** Steps of the usual procedure that aren't done at one place. */
export const STEPS = [
  "close_betting", "confirm_pack", "open_round", "end_round", "change_dealing", "enter_dice", "declare_spin", "confirm_spin", "finish_deal",
  "waive_bank_limit", "join_casino", "join_associate", "cut_pack", "call_time",
  "name_material",
];

/** What is done when something went wrong; each is explained and confirmed before it is sent. */
export const IRREGULAR = [
  "declare_irregularity", "invalidate_spin", "invalidate_throw", "expose_card", "misplace_card", "mend_card",
  "count_cards", "report_cards_held_away", "declare_misdeal", "declare_malfunction", "cancel_deal",
  "void_round", "correct_round",
];

/** Of these, what can't be taken back, or ends a round without a result. */
export const DESTRUCTIVE = new Set(["declare_misdeal", "declare_malfunction", "cancel_deal", "void_round", "correct_round", "end_round"]);

/** What is done at one place, and so has its button there. */
export const AT_PLACE = new Set([
  "open_hand", "decide", "pick_up_cards", "finish_setting", "confirm_late", "show_tiers", "pay_place", "take_bank", "decline_bank",
  "enter_dice", "leave_seat", "take_seat",
]);

/** Fields that have a usual value: they are left out unless the dealer says otherwise. */
const USUAL = { open_round: ["dealing"], enter_dice: ["flaw"] };

export const isIrregular = (verb) => IRREGULAR.includes(verb);

export const offersOf = (offers, verb) => offers.filter((offer) => offer.verb === verb);

/** The likely values of what a person would have to enter, from the table itself: undefined where it proposes nothing. */
export const proposalOf = (offers, verb, values) =>
  offersOf(offers, verb).find((offer) => offer.allowed && offer.proposed && fits(offer, values))?.proposed;

/** Whether what was chosen so far could become this offer. */
const fits = (offer, values) =>
  Object.entries(values).every(([name, value]) => !(name in offer.fields) || same(offer.fields[name], value));

const same = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * What is still to be said before a request can be made.
 *
 * @param {{verb, fields: object[]}} meta the verb as the layout has it.
 * @param {object[]} offers of this verb.
 * @param {object} values chosen so far; null where a field was left out on purpose.
 * @returns {{field?: object, choices?: {value, allowed, refused}[], free?: boolean, values: object}} the next field with
 *   what can be chosen, or, without a field, all values.
 */
export function nextQuestion(meta, offers, values) {
  const chosen = { ...values };
  for (const field of meta.fields) {
    if (field.name in chosen) continue;
    const fitting = offers.filter((offer) => fits(offer, chosen));
    const choices = distinct(fitting, field.name);
    const free = fitting.length === 0 || fitting.some((offer) => offer.open.includes(field.name));
    const usual = USUAL[meta.verb]?.includes(field.name);
    if (usual || (!free && choices.length === 0)) {
      if (field.optional) chosen[field.name] = null;
      else return { field, choices: [], free: true, values: chosen };
    } else if (!free && choices.length === 1) {
      chosen[field.name] = choices[0].value;
    } else {
      return { field, choices, free, values: chosen };
    }
  }
  return { values: chosen };
}

/** The values that offers fix a field to, allowed before refused, each once. */
function distinct(offers, name) {
  const found = new Map();
  for (const offer of offers) {
    if (!(name in offer.fields)) continue;
    const key = JSON.stringify(offer.fields[name]);
    const known = found.get(key);
    if (!known || (!known.allowed && offer.allowed)) {
      found.set(key, { value: offer.fields[name], allowed: offer.allowed, refused: offer.refused });
    }
  }
  return [...found.values()];
}

/** Instead of a section: the indicator rests on a peg, which the API calls null. */
export const ON_PEG = "peg";

/** The values as a request takes them: those left out aren't named. */
export function told(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, name === "section" && value === ON_PEG ? null : value]));
}
