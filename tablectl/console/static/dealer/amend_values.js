/** What a recorded fact says, and which of its fields can be said anew. */
import { valueLabel, verbLabel } from "/static/dealer/labels.js";
import { ON_PEG } from "/static/dealer/offers.js";

/** The fields of what devices report, as an amendment takes them; those of requests the table names itself. */
const REPORTS = {
  card: [["card", "card"], ["lies", "place"]],
  packet: [["count", "number"], ["lies", "place"]],
  dice: [["dice", "dice"], ["flaw", "kind"]],
  spin: [["turns", "number"], ["section", "section"]],
  draw: [["series", "choice"], ["combination", "number"]],
  shown_draw: [["series", "choice"], ["combination", "number"]],
};

/** The request under whose name a person would enter what a device reported. */
const ENTERED_AS = { dice: "enter_dice", spin: "declare_spin" };

/** Texts for people, which change nothing on the table. */
const REMARKS = new Set(["note", "changes", "corrects"]);

export const enteredAs = (verb) => ENTERED_AS[verb] ?? verb;

/** What a line of the list is called: a request by its name, a report by what was seen. */
export const factLabel = (desk, verb) => (REPORTS[verb] ? desk.words.say(`page.dealer.amend.report.${verb}`) : verbLabel(desk, verb));

/** Who entered it, or which device reported it. */
export const sourceLabel = (desk, line) => line.by ?? desk.words.first([`device.${line.source}`, line.source]);

/** The fields as they count now: as amended, where they were. */
export const counting = (line) => line.now ?? line.fields;

/** The fields of a line that can be said anew. A card that lies face down has no name that anybody may say. */
export function fieldsOf(desk, line) {
  if (line.verb === "amend") return [];
  const known = REPORTS[line.verb]?.map(([name, type]) => ({ name, type })) ?? desk.verbs.get(line.verb)?.fields ?? [];
  return known
    .filter(({ name, type }) => name in counting(line) && !REMARKS.has(name) && !(name === "reason" && type === "text"))
    .filter(({ name }) => !(line.verb === "card" && name === "card" && counting(line).card === null))
    .map((field) => ({ ...field, choices: field.choices ?? choicesOf(desk.layout, line.verb, field.name) }));
}

/** The values of which a field is one, where the layout names them. */
function choicesOf(layout, verb, name) {
  switch (name) {
    case "bet":
      return layout.bets.map((bet) => bet.name);
    case "decision":
      return layout.decisions.map((one) => one.name);
    case "kind":
      return layout.irregularities.map((one) => one.kind);
    case "lies":
      return [...layout.places, ...layout.hands, "aside"];
    case "series":
      return ["upper", "lower"];
    case "flaw":
      return verb === "invalidate_throw" ? undefined : ["", ...layout.reasons.filter((one) => one.verb === "invalidate_throw").map((one) => one.kind)];
    default:
      return undefined;
  }
}

/** A value as a request takes it. */
export const asSent = (name, value) => (name === "section" && value === ON_PEG ? null : value);

/** Fields and values for people; of a card that lies face down only where it lies. */
export function saidOf(desk, verb, fields) {
  return Object.entries(fields)
    .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length))
    .map(([name, value]) => ({ name, field: desk.words.say(`page.dealer.field.${name}`), value: valueLabel(desk, enteredAs(verb), name, value) }));
}
