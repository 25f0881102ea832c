/** What lies on the table: of the open round as the table says, of a round that has ended as its result says. */

/** The result that is shown: of the round that ended last, paid or not, until another is open; null where there is none. */
export function shownResult({ result, round_id: open, phase }) {
  return result && (open === null || (open === result.round_id && phase === "paying")) ? result : null;
}

/** Hands and bets as they lie: `{hands: [{place, cards, name, …}], bets: [{place, bettor, bet, stake, outcome, net}]}`. */
export function tableau(state) {
  const over = shownResult(state);
  if (!over) return { hands: (state.round.hands ?? []).map(openHand), bets: state.round.bets ?? [] };
  if (over.void) return { hands: over.hands.map(named), bets: over.returned.map((bet) => ({ ...bet, outcome: "returned", net: "0.00" })) };
  return { hands: handsOf(over), bets: paymentsOf(over) };
}

/** Every settled stake with its place, in the order of paying. */
export function paymentsOf({ settlement, bets = [] }) {
  const places = (settlement.places ?? []).flatMap(({ place, bets: made }) => made.map((bet) => ({ place, bet: "place", ...bet })));
  // The wheel's settlement knows no places: its bets stand in the order in which they were placed.
  const ofWheel = (settlement.bets ?? []).map((bet, nth) => ({ place: bets[nth]?.place, ...bet }));
  return [...places, ...ofWheel];
}

const openHand = (hand) => ({ ...hand, name: hand.hand ?? hand.natural ?? null });

const named = ({ place, cards, hand }) => ({ place, cards, name: hand, opened: true });

function handsOf({ round, settlement }) {
  const told = new Map((settlement.places ?? []).map((place) => [place.place, place]));
  const house = ["dealer", "banker"].filter((place) => round[place]).map((place) => handOf(place, round[place], settlement[place]));
  return [...(round.places ?? []).map((one) => handOf(one.place, one, told.get(one.place))), ...house];
}

function handOf(place, lying, settled = {}) {
  const cards = Array.isArray(lying) ? lying : (lying.cards ?? (lying.rows ?? []).flat());
  const { hand = null, total = null, natural = null, foul = false, combination = null, qualifies } = settled ?? {};
  return {
    place, cards, total, natural, foul, combination, qualifies, opened: true,
    // Cards at a place without a bet are a void hand; the common place is dealt without one.
    dead: cards.length > 0 && lying.bets?.length === 0 && hand === null && total === null,
    rows: lying.rows ?? null, formations: settled?.rows ?? null, throws: lying.throws ?? [], name: hand ?? natural ?? null,
  };
}
