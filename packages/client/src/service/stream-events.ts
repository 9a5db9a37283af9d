import { BerthError, type GatewayError } from '../errors.ts';
import { checkPayload, contractFailure, readPayload } from '../internal/check-payload.ts';
import type { Deadline } from '../internal/deadline.ts';
import { networkFailure, rememberedCall } from '../internal/failures.ts';
import { parseJson } from '../internal/options.ts';
import type { Pipeline } from '../internal/pipeline.ts';
import type { EventsOptions, SendToService, ServiceEvent } from './service.ts';

/** Waits between connections, in milliseconds, unless the server sets them. */
const FIRST_WAIT = 1_000;

const SHORTEST_WAIT = 100;

const LONGEST_WAIT = 30_000;

export async function* streamEvents<Data>(
  pipeline: Pipeline,
  send: SendToService,
  path: string,
  { schema, lastEventId = '', reconnect = true, headers: own, ...options }: EventsOptions<Data>,
): AsyncGenerator<ServiceEvent<Data>, void, undefined> {
  const { signal } = options;
  // Event streams have no time limit, except the caller's signal.
  const timeouts = { perTry: 0, total: 0 };
  const deadline = pipeline.open({ method: 'GET', url: path, signal, timeouts });
  let id = lastEventId;
  let retry = FIRST_WAIT;
  let failures = 0;
  let wasOpen = false;
  while (!signal?.aborted) {
    const headers = new Headers(own);
    headers.set('Accept', 'text/event-stream');
    if (id) headers.set('Last-Event-ID', toHeaderBytes(id));
    // Abort the connection: after a `cancel`, some browsers keep it open until the next bytes arrive.
    const left = new AbortController();
    try {
      const response = await send(
        path,
        { ...options, headers, signal: AbortSignal.any([left.signal, signal ?? left.signal]) },
        async (response) => {
          if (!response.ok) await readPayload(response);
          assertEvents(response);
          return response;
        },
      );
      if (response.status === 204) return;
      wasOpen = true;
      const parser = createEventParser(id);
      const decoder = new TextDecoder();
      const reader = response.body?.getReader();
      while (reader) {
        const { done, value } = await deadline
          .step(() => reader.read())
          .catch((error: unknown) => {
            throw networkFailure(
              rememberedCall(response),
              error,
              'The event stream was interrupted',
            );
          });
        if (done) break;
        const events = parser.take(decoder.decode(value, { stream: true }));
        retry = parser.retry ?? retry;
        for (const event of events) {
          failures = 0;
          id = event.id;
          const data = schema
            ? await checkPayload(response, parseJson(event.data), schema)
            : (event.data as Data);
          yield { ...event, data };
          // The chunk may contain many more events.
          if (signal?.aborted) return;
        }
        id = parser.id;
      }
      if (!reconnect) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!wasOpen || !reconnect || !mayPass(error)) throw error;
    } finally {
      left.abort();
    }
    failures += 1;
    await pause(deadline, retry, failures);
  }
}

function assertEvents(response: Response): void {
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '');
  if (isStream || response.status === 204) return;
  throw contractFailure(response, 'the response is not an event stream');
}

/** Returns whether a connection failed for a possibly temporary reason. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof BerthError) || error.name === 'ContractError') return false;
  return (error as Partial<GatewayError>).retryable !== false;
}

/**
 * Waits for the server's `retry` time, doubled after each connection without an event, plus a random part:
 * "Wait a delay equal to the reconnection time", or longer (WHATWG HTML, section 9.2.3).
 */
async function pause(deadline: Deadline, retry: number, failures: number) {
  const first = failures > 1 ? Math.max(retry, SHORTEST_WAIT) : retry;
  const span = first * 2 ** (failures - 1) * (1 + Math.random() / 2);
  await deadline.pause(Math.min(span, Math.max(LONGEST_WAIT, retry))).catch(() => {});
}

/** Encodes text as UTF-8 bytes, in the form that `fetch` expects in header values. */
function toHeaderBytes(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
}

interface ParsedEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
}

/**
 * Parses an event stream chunk by chunk (WHATWG HTML, section 9.2.6).
 *
 * @param id ID of the last event before this stream
 */
function createEventParser(id: string) {
  let rest = '';
  let isAfterCr = false;
  let event = '';
  let nextId = id;
  let data: string[] = [];
  const state = {
    id,
    /** How long the server asks to wait before reconnecting, in milliseconds. */
    retry: undefined as number | undefined,

    /** Parses the next chunk and returns the events that it completes. */
    take(piece: string): ParsedEvent[] {
      const text = isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
      if (piece) isAfterCr = text.endsWith('\r');
      const lines = text.split(/\r\n|\n|\r/);
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? '';
      return lines.flatMap(takeLine);
    },
  };

  function takeLine(line: string): ParsedEvent[] {
    if (line === '') {
      // Not any earlier, because an incomplete event is sent again.
      state.id = nextId;
      const found = { event: event || 'message', data: data.join('\n'), id: state.id };
      const isEvent = data.length > 0;
      event = '';
      data = [];
      return isEvent ? [found] : [];
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    // "If the field value does not contain NULL". Headers cannot contain other control characters
    // either.
    else if (field === 'id' && !/[^\t\P{Cc}]/u.test(value)) nextId = value;
    else if (field === 'retry' && /^\d+$/.test(value)) state.retry = Number(value);
    return [];
  }
  return state;
}
