/** How requests and their values are called. */
import { showMoney } from "/static/shared/money.js";
import { nameOf, signOf } from "/static/shared/cards.js";

/** A verb's name: as the page has it for this game, else for any, else as the layout says. */
export function verbLabel(desk, verb) {
  const { words, layout } = desk;
  const keys = [`page.dealer.verb.${layout.game}.${verb}`, `page.dealer.verb.${verb}`].filter((key) => words.has(key));
  return keys.length ? words.say(keys[0]) : words.pick(desk.verbs.get(verb)?.label) || verb;
}

/** A request with the values that are fixed, for a button: "plays: Ho". */
export function offerLabel(desk, offer, { withPlace = true } = {}) {
  const { words } = desk;
  const { place, bettor, decision } = offer.fields;
  const what = decision ? named(words, desk.layout.decisions, decision) : verbLabel(desk, offer.verb);
  const more = [withPlace && place !== undefined ? words.place(place) : "", (decision || offer.verb === "take_seat") && bettor ? bettor : ""].filter(Boolean);
  return more.length ? words.say("page.dealer.pair", { name: what, value: words.list(more) }) : what;
}

/** The label of a name in one of the layout's lists. */
export function named(words, list, name, key = "name") {
  const found = (list ?? []).find((one) => one[key] === name);
  return found ? words.pick(found.label) : String(name);
}

export const betLabel = (desk, bet) =>
  desk.words.first([`bet_short.${desk.layout.game}.${bet}`, `bet.${desk.layout.game}.${bet}`, bet]);

/** A value of a field, for people. */
export function valueLabel(desk, verb, name, value) {
  const { words, layout } = desk;
  if (value === null || value === "") return words.say("page.dealer.none");
  switch (name) {
    case "place":
      return words.place(value);
    case "lies":
      return value === "aside" ? words.say("page.dealer.amend.aside") : words.place(value);
    case "series":
      return words.say(`series.${value}`);
    case "bet":
      return betLabel(desk, value);
    case "stake":
    case "capital":
    case "share":
    case "amount":
      return showMoney(value);
    case "decision":
      return named(words, layout.decisions, value);
    case "dealing":
      return named(words, layout.dealing, value);
    case "shuffle":
      return words.say(`page.dealer.shuffle.${value}`);
    case "kind":
      return verb === "name_material" ? words.say(`tail.material.${value}`) : named(words, layout.irregularities, value, "kind");
    case "reason":
    case "flaw":
      return reasonLabel(desk, value);
    case "cards":
      return words.list(value.map((card) => nameOf(card, words)));
    case "rows":
      return value.map((row) => row.map(signOf).join(" ")).join(" / ");
    case "card":
      return nameOf(value, words);
    case "section":
      return sectionLabel(desk, value);
    default:
      return Array.isArray(value) ? value.flat().join(" ") : String(value);
  }
}

/** Why a spin or a throw isn't valid; of a void round, what the dealer wrote. */
export function reasonLabel(desk, value) {
  const { words, layout } = desk;
  const known = (layout.reasons ?? []).some((reason) => reason.kind === value);
  return known ? named(words, layout.reasons, value, "kind") : desk.words.first([`dice_flaw.${value}`, `spin_flaw.${value}`, value]);
}

export function sectionLabel(desk, section) {
  const found = (desk.layout.sections ?? []).find((one) => one.section === section);
  return found ? `${section} · ${desk.words.pick(found.label)}` : String(section);
}
