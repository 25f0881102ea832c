/** What the dealer's screen knows, and the only way by which it asks the table for anything. */
import { ask, follow } from "/static/shared/api.js";
import { findPractice, practise } from "/static/dealer/practice.js";

const SHOWN_WITHIN_MS = 3000;
const ROUNDS_KEPT = 5;

/** Requests after which every button stands where it stood. */
const MOVES_NOTHING = new Set(["bet", "take_back_bet"]);

/** Pages that are looked at over what is being entered, which stays. */
export const ASIDE = new Set(["devices", "faults", "lessons"]);

/** How soon the second tap of a hasty finger comes. */
export const CALM_MS = 350;

/**
 * The table as last told, the request that is under way, and what the dealer is entering.
 *
 * Nothing here is ever ahead of the table: a request changes what is shown only through the state that follows it.
 */
export class Desk {
  constructor(words, layout, who, left, notice = null) {
    Object.assign(this, { words, layout, who, left, notice, ended: false });
    this.state = null;
    this.offers = [];
    this.connection = "connecting";
    this.pending = null;
    this.calm = false;
    this.opening = null;
    this.form = null;
    this.amend = null;
    this.gathered = null;
    this.records = null;
    this.touched = null;
    this.tab = "steps";
    this.practice = null;
    this.acting = null;
    this.lesson = null;
    this.place = null;
    this.tray = { chip: null, bettor: null, back: false };
    this.queue = Promise.resolve();
    this.rounds = [];
    this.verbs = new Map(layout.verbs.map((verb) => [verb.verb, verb]));
    this.watchers = new Set();
  }

  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Begins to follow the table; returns what ends that. */
  start() {
    const line = follow("/v1/live", {
      signedOn: true,
      message: (message) => message.type === "state" && this.take(message),
      status: (status) => (status === "signed_off" ? this.end() : this.set({ connection: status })),
    });
    return () => line.close();
  }

  /** Changes what is known. What begins to be entered is never under a page aside. */
  set(changes) {
    const begins = (changes.form && !this.form) || (changes.amend && !this.amend);
    Object.assign(this, begins && ASIDE.has(this.tab) ? { tab: "steps" } : {}, changes);
    for (const watcher of [...this.watchers]) watcher();
  }

  /** Ends this person's screen, and what it still sends; an entry that they didn't end themselves is said to be put away. */
  end({ asked = false } = {}) {
    if (this.ended) return;
    this.ended = true;
    const cut = !asked && Boolean(this.form || this.amend || this.pending || this.run);
    this.left(cut ? { kind: "cut" } : null);
  }

  /** Whether anything may be sent. */
  get live() {
    return this.connection === "connected" && this.state !== null && this.pending === null;
  }

  /** Takes in a new state. What was being entered for another phase or round is put away, and the dealer told. */
  take({ state, actions }) {
    const changes = { state, offers: actions ?? [] };
    if (this.state?.phase !== state.phase || this.state.round_id !== state.round_id) {
      changes.tray = { ...this.tray, bettor: null, back: false };
      changes.place = null;
      this.settle();
    }
    if (this.form && (this.form.shown.phase !== state.phase || this.form.shown.round_id !== state.round_id)) {
      changes.form = null;
      if (!ASIDE.has(this.tab)) changes.tab = "steps";
      if (!this.pending) changes.notice = { kind: "moved" };
    }
    const before = this.state?.round_id;
    const over = state.result?.round_id ?? (before !== state.round_id && before);
    if (over && over !== this.rounds[0]) changes.rounds = [over, ...this.rounds.filter((id) => id !== over)].slice(0, ROUNDS_KEPT);
    this.set(changes);
    findPractice(this);
  }

  /** Lets no tap through for a moment: what lies under the finger now isn't what the finger came down for. */
  settle() {
    clearTimeout(this.calming);
    this.calming = setTimeout(() => this.set({ calm: false }), CALM_MS);
    this.set({ calm: true });
  }

  /** What a person now looks at, to be named in the request that they make of it. */
  get shown() {
    const { seen, round_id, phase } = this.state;
    return { seen, round_id, phase };
  }

  /**
   * Asks the table, and waits until its answer and the state that has it in are here.
   *
   * @param {{seen, round_id}} shown what the person looked at when they decided.
   * @param {boolean} dry whether only what would follow is asked for.
   * @returns {Promise<?object>} the table's answer; null where none was given.
   */
  async send(verb, fields, shown, second = null, { dry = false } = {}) {
    if (!this.live) return null;
    this.set({ pending: verb, notice: null });
    try {
      const again = () => this.set({ notice: { kind: "again" } });
      const answer = await ask(verb, fields, shown, { second, again, dry, over: () => this.ended });
      if (!dry) await this.until(answer.record);
      if (this.practice && verb === "confirm_pack" && answer.accepted) practise(this, "pack");
      this.set({ notice: answer.refused ? { kind: "refused", verb, ...answer.refused } : null });
      if (!MOVES_NOTHING.has(verb) || answer.refused) this.settle();
      return answer;
    } catch (error) {
      if (error.status === undefined) throw error;
      if (error.code === "second_needed" && !second) return { secondNeeded: true };
      this.set({ notice: { kind: "failed", verb, error } });
      if (error.status === 401 && error.code === "not_signed_on") this.end();
      return null;
    } finally {
      this.set({ pending: null });
    }
  }

  /**
   * Sends a request after those that were asked for before it, as long as the table stays in the round and phase in
   * which it was asked for; the first refusal puts the rest away.
   */
  enqueue(verb, fields) {
    const { round_id: round, phase } = this.shown;
    const run = (this.run ??= { fine: true });
    this.queue = this.queue.then(async () => {
      if (!run.fine || this.shown.round_id !== round || this.shown.phase !== phase) return;
      run.fine = Boolean((await this.send(verb, fields, this.shown))?.accepted);
    });
    const last = this.queue;
    last.then(() => last === this.queue && (this.run = null));
    return last;
  }

  /** Waits until the state with this record is shown; a state that never comes is the connection's to explain. */
  until(record) {
    return new Promise((done) => {
      const look = () => this.state && this.state.seen >= record && end();
      const end = () => {
        clearTimeout(timer);
        unwatch();
        done();
      };
      const timer = setTimeout(() => end(), SHOWN_WITHIN_MS);
      const unwatch = this.watch(look);
      look();
    });
  }
}
