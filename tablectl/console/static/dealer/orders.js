/** What an article orders when something went wrong, or says of an entry that is final, told before the dealer confirms it. */

/**
 * The articles under which the table will record what is declared, by game and verb. Kinds that the layout names bring
 * their own.
 */
const ARTICLES = {
  q_poker: {
    decide: "9(3)", open_hand: "9",
    expose_card: "11(2)", expose_card_of_the_house: "11(3)", misplace_card: "11(1)", mend_card: "11(1)", count_cards: "11(1)",
    declare_misdeal: "11(1)", declare_malfunction: "11(5)", report_cards_held_away: "6(3)",
  },
  football_poker: { expose_card: "7", open_hand: "4" },
  wheel_of_fortune: { declare_spin: "5" },
  chinese_dice: { enter_dice: "2(e)" },
  thirteen_cards: { show_tiers: "8", show_tiers_proposed: "8", show_tiers_proposed_of_the_house: "2(d)", expose_card: "4", misplace_card: "4", mend_card: "4", cancel_deal: "4", report_cards_held_away: "3" },
};

/**
 * The text and the article for what is about to be declared.
 *
 * The most special text wins: for this game and this kind, for this game, for any game.
 */
export function orders(desk, verb, values) {
  const { words, layout } = desk;
  const kind = values.kind ?? values.reason ?? values.flaw ?? values.decision ?? "";
  const declarable = [...(layout.irregularities ?? []), ...(layout.reasons ?? [])].find((one) => one.kind === kind);
  const ofHouse = values.place === "dealer" || values.place === "banker" ? `${verb}_of_the_house` : verb;
  const game = `page.dealer.orders.${layout.game}`;
  const keys = [`${game}.${verb}_${kind}`, `${game}.${ofHouse}`, `${game}.${verb}`, `page.dealer.orders.any.${verb}`];
  const text = words.say(keys.find((key) => words.has(key)) ?? "page.dealer.orders.any.other");
  const noted = declarable && words.has(`irregular.${layout.game}.${kind}`);
  const place = values.place ? words.place(values.place) : words.say("place.unknown");
  const articles = ARTICLES[layout.game] ?? {};
  return {
    text: noted ? `${words.say(`irregular.${layout.game}.${kind}`, { place })} ${text}` : text,
    article: declarable?.article ?? articles[ofHouse] ?? articles[verb] ?? "",
  };
}
