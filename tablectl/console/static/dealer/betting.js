/** Bets by touch: a chip is taken up once, and every touch of a space of the layout puts one down there. */
import { fromHundredths, toHundredths } from "/static/shared/money.js";
import { begin } from "/static/dealer/asking.js";
import { CALM_MS } from "/static/dealer/desk.js";
import { offersOf } from "/static/dealer/offers.js";
import { tableau } from "/static/dealer/tableau.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Whether bets are taken now. */
export const betting = (desk) => offersOf(desk.offers, "bet").some((offer) => offer.allowed);

/** The chips of the house, and before them the least stake, where no chip is as small as that. */
export function chipsOf(layout) {
  const chips = layout.chips.map(toHundredths);
  const least = Math.min(...layout.bets.map((bet) => toHundredths(bet.minimum)));
  return (least < chips[0] ? [least, ...chips] : chips).map(fromHundredths);
}

/** The chip that is taken up. */
export const chipInHand = (desk) => desk.tray.chip ?? chipsOf(desk.layout)[0];

/** Who bets at a place unless the dealer says otherwise: who sits there, has bet there, or bet there last. */
export function ownBettor(desk, place) {
  const { seats = [], bets = [] } = desk.state.round;
  const before = desk.state.result?.bets ?? desk.state.result?.returned ?? [];
  const here = [...seats, ...bets, ...before].find((one) => one.place === place);
  return here?.bettor ?? LETTERS[typeof place === "number" ? (place - 1) % LETTERS.length : 0];
}

/** Who takes an empty seat unless the dealer says otherwise: the place's own bettor, or, where they sit elsewhere, a letter that nobody has. */
export function newBettor(desk, place) {
  const usual = ownBettor(desk, place);
  if (!desk.state.round.seats.some((one) => one.bettor === usual)) return usual;
  const known = bettorsOf(desk);
  return [...LETTERS].find((letter) => !known.includes(letter)) ?? usual;
}

/** Everybody who has a seat, a stake or a place of their own, each once. */
export function bettorsOf(desk) {
  const { seats = [], bets = [] } = desk.state.round;
  const before = desk.state.result?.bets ?? [];
  return [...new Set([...seats, ...bets, ...before].map((one) => one.bettor))];
}

/** Whether a chip that is put down now opens the round. Where numbers are drawn first nobody bets before. */
export const opens = (desk) =>
  desk.tab === "steps" && desk.state.next.verb === "open_round" && !desk.layout.devices.some(({ kind }) => kind === "draw")
  && offersOf(desk.offers, "open_round").some((offer) => offer.allowed);

/** Opens the round for a chip, once for all that are put down meanwhile; until the finger has rested they lie on no other button. */
function opened(desk) {
  if (desk.opening) return desk.opening;
  const opening = desk.send("open_round", {}, desk.shown).then((answer) => Boolean(answer?.accepted));
  desk.set({ opening });
  opening.finally(() => setTimeout(() => desk.set({ opening: null }), CALM_MS));
  return opening;
}

/** Puts the chip in hand down on a space, and opens the round for it. Touches in quick succession are done one after the other. */
export async function put(desk, place, bet) {
  const { tray } = desk;
  if (!betting(desk) && !((await opened(desk)) && betting(desk))) return undefined;
  const bettor = tray.bettor ?? ownBettor(desk, place);
  const lies = desk.state.round.bets.some((one) => one.place === place && one.bettor === bettor && one.bet === bet);
  const least = toHundredths(desk.layout.bets.find((one) => one.name === bet).minimum);
  const chip = toHundredths(chipInHand({ layout: desk.layout, tray }));
  return desk.enqueue("bet", { place, bettor, bet, stake: fromHundredths(lies ? chip : Math.max(chip, least)) });
}

/** Asks for a stake of several chips, on this space. */
export function putSeveral(desk, place, bet) {
  if (!betting(desk)) return;
  const bettor = desk.tray.bettor ?? ownBettor(desk, place);
  begin(desk, "bet", { place, bettor, bet }, desk.shown);
}

/** Takes the bets on a space back, whole, as far as the table lets them go. */
export function takeBack(desk, place, bet) {
  const here = desk.state.round.bets.filter((one) => one.place === place && one.bet === bet);
  const { bettor } = desk.tray;
  const whose = bettor ? here.filter((one) => one.bettor === bettor) : here;
  for (const one of whose) desk.enqueue("take_back_bet", { place, bettor: one.bettor, bet });
  desk.set({ tray: { ...desk.tray, back: false } });
}

/** Who can have the bets of the round before lie again: the chosen bettor, or everybody. */
export const betsAgain = (desk) =>
  offersOf(desk.offers, "repeat_bets").filter(({ allowed, fields }) => allowed && [null, fields.bettor].includes(desk.tray.bettor));

export function sameAgain(desk) {
  for (const { fields } of betsAgain(desk)) desk.enqueue("repeat_bets", fields);
}

/** The bets on a space, of the round that is open or was the last; on every space of the place, where none is named. */
export const betsOn = (desk, place, bet) => tableau(desk.state).bets.filter((one) => one.place === place && (bet === null || one.bet === bet));
