/**
 * The hosted services that the cases call, behind the gateway of whatever deployment they run against.
 * `start-deployment.ts` implements them for the mock, which has `echo` built in.
 *
 * `echo`: any GET or POST gets the JSON of what came ({@link Echo}), but for
 * - `/status/<n>`: status n, JSON `{ "status": n }`; a WebSocket is rejected with that status;
 *
 * A WebSocket of any other path takes the subprotocol `chat` if it is offered, and sends each message
 * back, text as text and bytes as bytes; the text `close <n>` makes it close with code n.
 *
 * `ticker`: events 1 to 5, type `tick`, data the JSON of a {@link Tick}, `retry: 10`. A connection gives
 * the two events after `Last-Event-ID` (from 1 on without it) and the first bytes of the third, and is lost
 * 50 ms later, for platforms throw away what they have not yet given then. After event 5 it ends as it
 * should; after `Last-Event-ID: 5` the response is 204.
 *
 * `slow`: a call of `/<id>` never gets a response, but if it accepts events it gets one of type `started`
 * and then nothing. `/begun/<id>` gets 204 as soon as such a call has come, and `/ended/<id>`
 * as soon as its caller has gone.
 */
export const SERVICES = { echo: 'echo', ticker: 'ticker', slow: 'slow' } as const;

/** How long between the last bytes of `ticker` and the loss of its connection, in milliseconds. */
export const TICK_LOSS = 50;

/** Number of the last `ticker` event. */
export const LAST_TICK = 5;

/** A request as `echo` received it. */
export interface Echo {
  readonly method: string;
  /** Path after the service name, with the query, byte for byte. */
  readonly target: string;
  /** Headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Data of a `ticker` event. */
export interface Tick {
  /** The `Last-Event-ID` of the connection. */
  readonly after: string | null;
  /** Always {@link TICK_TEXT}. */
  readonly text: string;
}

/** Text whose JSON is not ASCII and contains escapes. */
export const TICK_TEXT = '中\n\r"';
