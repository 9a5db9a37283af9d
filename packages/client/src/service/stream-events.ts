import type { GatewayError } from '../errors/gateway-error.ts';
import type { RememberedCall } from '../internal/calls.ts';
import { contractFailure } from '../internal/contract-failure.ts';
import type { Deadline } from '../internal/pipeline/deadline.ts';
import type { Pipeline } from '../internal/pipeline/pipeline-call.ts';
import { checkPayload } from './check-payload.ts';
import type { SendToService } from './create-service.ts';
import { createEventParser } from './event-parser.ts';
import type { readPayload } from './read-payload.ts';
import type { EventsOptions, ServiceEvent } from './service.ts';
import type { Shared } from './shared.ts';

/** Waits between connections, in milliseconds, where the server asks for no other. */
const FIRST_WAIT = 1_000;
const SHORTEST_WAIT = 100;
const LONGEST_WAIT = 30_000;

/** Events of one path over as many connections as it takes. */
export async function* streamEvents<Data>(
  shared: Shared & { readonly readPayload: typeof readPayload },
  pipeline: Pipeline,
  send: SendToService,
  path: string,
  { schema, lastEventId = '', reconnect = true, headers: own, ...options }: EventsOptions<Data>,
): AsyncGenerator<ServiceEvent<Data>, void, undefined> {
  const { signal } = options;
  // Nothing but the caller limits a stream of events.
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
    // Ends the connection: of a body that is cancelled, Firefox keeps it until the next bytes come.
    const left = new AbortController();
    try {
      const { response, call } = await send(
        path,
        { ...options, headers, signal: AbortSignal.any([left.signal, signal ?? left.signal]) },
        async (response, call) => {
          if (!response.ok) await shared.readPayload(response, call);
          assertEvents(shared, response, call);
          return { response, call };
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
            throw shared.networkFailure(call, error, 'The event stream broke off');
          });
        if (done) break;
        const events = parser.take(decoder.decode(value, { stream: true }));
        retry = parser.retry ?? retry;
        for (const event of events) {
          failures = 0;
          id = event.id;
          const data = schema
            ? await checkPayload(shared, response, call, shared.parseJson(event.data), schema)
            : (event.data as Data);
          yield { ...event, data };
          // One piece may have brought many more.
          if (signal?.aborted) return;
        }
        id = parser.id;
      }
      if (!reconnect) return;
    } catch (error) {
      if (signal?.aborted) return;
      if (!wasOpen || !reconnect || !mayPass(shared, error)) throw error;
    } finally {
      left.abort();
    }
    failures += 1;
    await pause(deadline, retry, failures);
  }
}

function assertEvents(shared: Shared, response: Response, call: RememberedCall): void {
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '');
  if (isStream || response.status === 204) return;
  throw contractFailure(shared, response, call, 'no event stream');
}

/** Whether a failed connection says nothing about the next one. */
function mayPass({ BerthError }: Shared, error: unknown): boolean {
  if (!(error instanceof BerthError) || error.name === 'ContractError') return false;
  return (error as Partial<GatewayError>).retryable !== false;
}

/** The server's time, then doubled with each connection that brought no event, less a random part. */
async function pause(deadline: Deadline, retry: number, failures: number) {
  const first = failures > 1 ? Math.max(retry, SHORTEST_WAIT) : retry;
  const span = Math.min(first * 2 ** (failures - 1), Math.max(LONGEST_WAIT, retry));
  await deadline.pause(span * (1 - Math.random() / 2)).catch(() => {});
}

/** Header values are bytes to `fetch`: UTF-8 has to be spelt out. */
function toHeaderBytes(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
}
