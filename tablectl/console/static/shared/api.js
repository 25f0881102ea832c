/**
 * The table's API: sign-on, requests that are done once, and the state as it changes.
 *
 * The session lives in a cookie that scripts can't read; nothing here keeps a secret.
 */
import { renew } from "/static/shared/renew.js";

const ANSWER_WITHIN_MS = 5000;
const PIN_WITHIN_MS = 15000;
const PRACTICE_WITHIN_MS = 120000;
const RETRY_FOR_MS = 20000;
const BACKOFF_MS = { least: 250, most: 5000 };
const SILENCE_MS = 10000;
const CLOSED_NOT_SIGNED_ON = 4401;

/** Whatever isn't the table's own answer: `status` is 0 where none came at all. */
export class ApiError extends Error {
  constructor(status, error = {}, retryMs = 0) {
    super(error.message || "no answer");
    this.status = status;
    this.code = error.code || "no_answer";
    this.where = error.where || "";
    this.problems = error.problems || [];
    this.retryMs = retryMs;
  }

  /** Whether the same request may be sent again: what it asks for may or may not have been done. */
  get mayBeDone() {
    return this.status === 0 || this.status === 500 || this.status === 503;
  }
}

async function call(method, path, body, withinMs = ANSWER_WITHIN_MS) {
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: method === "GET" ? "no-cache" : "no-store",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(withinMs),
    });
    answer = await response.json();
  } catch {
    throw new ApiError(0);
  }
  // 409 is an answer like any other: the table refused, and says by which article.
  if (response.ok || response.status === 409) return answer;
  throw new ApiError(response.status, answer.error, 1000 * Number(response.headers.get("Retry-After") || 0));
}

/** The answer to a question that changes nothing. */
export const get = (path, withinMs) => call("GET", path, undefined, withinMs);

/** The answer to something that is done at once, and not by the table. */
export const post = (path, body) => call("POST", path, body, PRACTICE_WITHIN_MS);

/** Who may sign on: `[{person, role}]`. */
export const people = async () => (await get("/v1/people")).people;

/** Who is signed on: `{person, role, expires_s}`, or null. */
export async function session() {
  if (unended()) await signOff();
  try {
    return await get("/v1/session");
  } catch (error) {
    if (error.status === 401) return null;
    throw error;
  }
}

/** Signs a person on; returns `{person, role, expires_s}`. Whoever signed off before is gone by then. */
export async function signOn(person, pin) {
  if (unended()) await signOff();
  return call("POST", "/v1/sign-on", { person, pin, cookie: true }, PIN_WITHIN_MS);
}

const KEPT_UNENDED = "tablectl.unended";
let ended = true;
let endAgain;

/** Whether somebody has signed off of whom the table hasn't heard it yet. */
export function unended() {
  try {
    return sessionStorage.getItem(KEPT_UNENDED) !== null;
  } catch {
    return !ended;
  }
}

function keepEnded(now) {
  ended = now;
  try {
    now ? sessionStorage.removeItem(KEPT_UNENDED) : sessionStorage.setItem(KEPT_UNENDED, "");
  } catch {
    // a browser that keeps nothing remembers it as long as the page
  }
  dispatchEvent(new Event("signedoff"));
}

/** Ends the session; where the table doesn't hear it, again until it does: each time the window gets `signedoff`. */
export async function signOff() {
  clearTimeout(endAgain);
  keepEnded(false);
  try {
    await call("POST", "/v1/sign-off", {});
  } catch (error) {
    if (error.status !== 401) {
      endAgain = setTimeout(() => signOff().catch(() => {}), Math.max(1000, error.retryMs));
      throw error;
    }
  }
  keepEnded(true);
}

let asked = 0;
const page = Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36)).join("");

/** A name for a request that no other request has, from this page or another. */
export const requestName = () => `${page}-${(asked += 1)}`;

/**
 * Makes a request of what one state showed, and sends it again under its name until the table has answered.
 *
 * @param {string} verb as in the API.
 * @param {object} fields the verb's own.
 * @param {{seen: number, round_id: ?string}} shown the state that the person looked at.
 * @param {{second?: {person: string, pin: string}, again?: function(ApiError), dry?: boolean, over?: function(): boolean}} options a
 *   second person; what to call before each repetition; whether only what would follow is asked for; whether who asked is gone.
 * @returns {Promise<{accepted: boolean, record: number, refused?: {article, code, text}}>}
 * @throws {ApiError} nothing was done, or no answer came in time: then the next state shows whether it was.
 */
export async function ask(verb, fields, shown, options = {}) {
  const body = { ...fields, request_id: requestName(), round_id: shown.round_id, seen: shown.seen };
  if (options.second) body.second = options.second;
  const withinMs = options.second ? PIN_WITHIN_MS : ANSWER_WITHIN_MS;
  const path = `/v1/requests/${encodeURIComponent(verb)}${options.dry ? "?dry_run=true" : ""}`;
  const until = performance.now() + RETRY_FOR_MS;
  for (let waitMs = BACKOFF_MS.least; ; waitMs = Math.min(2 * waitMs, BACKOFF_MS.most)) {
    try {
      return await call("POST", path, body, withinMs);
    } catch (error) {
      const nextMs = Math.max(waitMs, error.retryMs);
      if (!error.mayBeDone || performance.now() + nextMs > until) throw error;
      options.again?.(error);
      await new Promise((done) => setTimeout(done, nextMs));
      if (options.over?.()) throw error;
    }
  }
}

/**
 * Follows the table over a WebSocket, and opens it again whenever it is lost.
 *
 * A socket that is open but silent counts as lost: the table sends a heartbeat every few seconds.
 *
 * @param {string} path such as `/v1/live`.
 * @param {{message: function(object), status: function(string), signedOn?: boolean}} on `message` gets every message
 *   but heartbeats; `status` gets "connecting", "connected", "lost" or, where `signedOn` says that a session is needed
 *   and it is over, "signed_off", after which nothing more is tried.
 * @returns {{close: function()}}
 */
export function follow(path, on) {
  return new Follower(path, on);
}

class Follower {
  constructor(path, on) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.on = on;
    this.waitMs = BACKOFF_MS.least;
    this.hurry = () => this.timer && !this.socket && this.open();
    // A console that was asleep, or whose network is back, doesn't sit out its back-off.
    addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
    this.say("connecting");
    this.open();
  }

  close() {
    this.ended = true;
    clearTimeout(this.timer);
    removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
    this.drop();
  }

  say(status) {
    if (status === this.status) return;
    this.status = status;
    this.on.status(status);
  }

  open() {
    this.listen();
    const socket = (this.socket = new WebSocket(this.url));
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = (event) => this.closed(event.code);
  }

  /** Waits for the next sign of life. */
  listen() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.closed(), SILENCE_MS);
  }

  take(message) {
    this.listen();
    this.waitMs = BACKOFF_MS.least;
    this.say("connected");
    if (message.type !== "heartbeat") this.on.message(message);
    this.build = message.build ?? this.build;
    renew(this.build);
  }

  async closed(code) {
    this.drop();
    clearTimeout(this.timer);
    if (this.on.signedOn && (await this.signedOff(code))) {
      this.say("signed_off");
      this.close();
      return;
    }
    if (this.ended || this.socket) return; // closed, or opened in a hurry, while the session was asked for
    this.say("lost");
    // Many screens lose one table at the same instant: they don't all come back at the same one.
    this.timer = setTimeout(() => this.open(), this.waitMs * (0.75 + Math.random() / 2));
    this.waitMs = Math.min(2 * this.waitMs, BACKOFF_MS.most);
  }

  /** Whether the session is over. A refused WebSocket tells a page nothing, so the session is asked for. */
  async signedOff(code) {
    if (code === CLOSED_NOT_SIGNED_ON) return true;
    this.say("lost");
    try {
      return (await session()) === null;
    } catch {
      return false;
    }
  }

  drop() {
    if (!this.socket) return;
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
  }
}
