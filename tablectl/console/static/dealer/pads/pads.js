/** Which pad enters which type of field. */
import { CardsPad, CardPad } from "/static/dealer/pads/cards.js";
import { ChangesPad } from "/static/dealer/pads/changes.js";
import { DicePad } from "/static/dealer/pads/dice.js";
import { MoneyPad } from "/static/dealer/pads/money.js";
import { BettorPad, ChoicePad, PlacePad, ReasonPad, RoundPad, SectionPad, TextPad } from "/static/dealer/pads/names.js";
import { NumberPad } from "/static/dealer/pads/number.js";
import { TiersPad } from "/static/dealer/pads/tiers.js";

const PADS = {
  money: MoneyPad,
  cards: CardsPad,
  card: CardPad,
  dice: DicePad,
  tiers: TiersPad,
  number: NumberPad,
  section: SectionPad,
  place: PlacePad,
  seat: PlacePad,
  bettor: BettorPad,
  changes: ChangesPad,
  text: TextPad,
};

/** The pad for a field, as a component of `{desk, field, values, done}`. */
export function padFor(field) {
  if (field.name === "corrects") return RoundPad;
  if (field.name === "reason" && field.type === "text") return ReasonPad;
  if (field.name === "reason" || field.name === "flaw" || field.choices?.length) return ChoicePad;
  return PADS[field.type] ?? TextPad;
}
