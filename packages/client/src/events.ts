import { createParser } from 'eventsource-parser';
import { MAX_TIMER, pause, withBudget } from './budget.ts';
import type { ServiceOptions } from './call-options.ts';
import { checkNumber } from './checks.ts';
import type { GatewayContext } from './context.ts';
import { type CallInfo, contractError, isBerthError } from './errors.ts';
import { toRecord } from './fetch.ts';
import { type IdleWatch, readBody, watchIdle } from './idle.ts';

/**
 * Options for `events`. `timeout` and `retry` apply to each connection until its headers arrive; `signal` ends the
 * iteration.
 */
export interface EventsOptions extends Omit<ServiceOptions, 'idempotent'> {
  /** ID of the event to continue after. Default: the service decides. */
  readonly lastEventId?: string | undefined;
  /** Longest pause between bytes, in milliseconds; the client then reconnects. `0`: no limit. Default: 0. */
  readonly idle?: number | undefined;
  /** Whether to reconnect. If not, the iteration ends with the connection, or throws its error. Default: `true`. */
  readonly reconnect?: boolean | undefined;
}

/** One server-sent event. */
export interface ServiceEvent {
  /** Type of the event. Default: `message`. */
  readonly event: string;
  /** Data lines, joined by line feeds. */
  readonly data: string;
  /** ID of this event or of the last one that had one; empty if none had. */
  readonly id: string;
}

/** Wait before the first reconnection in milliseconds, unless the service sets one. */
const DELAY = 1_000;
const MIN_DELAY = 100;
const MAX_RECONNECT_DELAY = 30_000;

/** Maximum characters of an event as sent. */
// The parser's own `maxBufferSize` is not used: it counts an empty line as one character, but the parser keeps 32 bytes
// for it.
const MAX_EVENT = 16_777_216;

const BLANK_LINE = /\n\n|\r\r|\n\r/;

export async function* iterateEvents(context: GatewayContext, url: string, options: EventsOptions) {
  const { idle = 0, reconnect = true, lastEventId = '' } = options;
  const { signal = new AbortController().signal } = options;
  checkNumber('idle', idle, 0);
  const info = { url };
  const state: State = { id: lastEventId, delay: DELAY };
  /** Connections without an event, before the current one. */
  let failures = 0;
  let wasOpen = false;
  while (!signal.aborted) {
    const watch = watchIdle(idle, signal, 'The event stream was interrupted', info);
    try {
      const response = await open(context, info, state.id, { ...options, signal: watch.signal });
      if (response.status === 204) return;
      wasOpen = true;
      for await (const event of readEvents(response, info, state, watch)) {
        failures = 0;
        yield event;
        if (signal.aborted) return;
      }
      if (!reconnect) return;
    } catch (error) {
      if (signal.aborted) return;
      const canRetry = isBerthError(error) && error.retryable;
      if (!wasOpen || !reconnect || !canRetry) throw error;
    } finally {
      // Also aborts the connection: after a `cancel`, some browsers keep it open until the next bytes.
      watch.stop();
    }
    await pause(toDelay(state.delay, failures), signal).catch(() => {});
    failures += 1;
  }
}

/** The last ID, and the wait before the next connection in milliseconds. */
type State = { id: string; delay: number };

async function open(
  { sender, toGatewayError }: GatewayContext,
  info: CallInfo,
  id: string,
  options: EventsOptions,
): Promise<Response> {
  const resume = id && { 'last-event-id': toHeaderBytes(id) };
  const headers = { ...toRecord(options.headers), accept: 'text/event-stream', ...resume };
  return withBudget(options, sender.limits, info, async (budget) => {
    const response = await sender.send(info, { headers }, budget);
    if (!response.ok) throw await toGatewayError(response, info);
    const type = response.headers.get('Content-Type') ?? '';
    if (response.status === 204 || /^text\/event-stream\b/i.test(type)) return response;
    throw contractError(response, info, 'the response is not an event stream');
  });
}

async function* readEvents(response: Response, info: CallInfo, state: State, watch: IdleWatch) {
  const events: ServiceEvent[] = [];
  let length = 0;
  let last = '';
  const parser = createParser({
    onId: (id) => {
      // Other control characters cannot be sent in a header.
      if (!/[^\t\P{Cc}]/u.test(id)) state.id = id;
    },
    onEvent: ({ event = 'message', data }) => events.push({ event, data, id: state.id }),
    onRetry: (delay) => {
      state.delay = delay;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of readBody(response, watch)) {
    const text = decoder.decode(bytes, { stream: true });
    parser.feed(text);
    // A blank line may arrive in two pieces.
    length = events.length > 0 || BLANK_LINE.test(last + text) ? 0 : length + text.length;
    last = text.slice(-1);
    if (length > MAX_EVENT)
      throw contractError(response, info, 'an event exceeds 16 Mi characters');
    yield* events.splice(0);
  }
}

/** Encodes text as UTF-8 bytes, in the form that `fetch` takes for header values. */
function toHeaderBytes(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
}

/**
 * Returns the wait of the service, doubled after each connection without an event, and a random part: "a delay equal to
 * the reconnection time", or longer (WHATWG HTML, section 9.2.3).
 */
function toDelay(delay: number, failures: number): number {
  const first = failures ? Math.max(delay, MIN_DELAY) : delay;
  const random = first * 2 ** failures * (1 + Math.random() / 2);
  return Math.min(random, Math.max(MAX_RECONNECT_DELAY, delay), MAX_TIMER);
}
