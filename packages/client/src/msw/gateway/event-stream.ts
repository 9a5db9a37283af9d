import { HttpResponse } from 'msw';
import type { ServiceEventInit } from './msw-service.ts';

const TYPE = 'text/event-stream';

/** Whether a request asks for server-sent events. */
export function wantsEvents({ headers }: Request): boolean {
  return headers.get('Accept')?.includes(TYPE) ?? false;
}

/** The events of a list after the one that the client has seen last; 204 where none is left. */
export function toListStream(
  events: readonly ServiceEventInit[],
  { signal, headers }: Request,
): Response {
  const last = headers.get('Last-Event-ID');
  const numbered = events.map((event, index) => ({ id: String(index + 1), ...event }));
  const rest = numbered.slice(numbered.findIndex(({ id }) => id === last) + 1);
  if (rest.length === 0) return new HttpResponse(null, { status: 204 });
  async function* texts() {
    // Clients of a test need not wait before they come back.
    yield 'retry: 1\n\n';
    for (const event of rest) yield toText(event);
  }
  return toResponse(texts(), signal);
}

/** Events as they come, until there are no more or the client aborts. */
export function toEventStream(
  events: AsyncIterable<ServiceEventInit>,
  { signal }: Request,
): Response {
  async function* texts() {
    for await (const event of events) yield toText(event);
  }
  return toResponse(texts(), signal);
}

/** The form of one event (WHATWG HTML, section 9.2.6). */
function toText({ event, data, id }: ServiceEventInit): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return [event && `event: ${event}\n`, id && `id: ${id}\n`, ...lines, '\n'].join('');
}

function toResponse(texts: AsyncGenerator<string, void>, signal: AbortSignal): Response {
  const encoder = new TextEncoder();
  const stream = new ReadableStream({
    start(controller) {
      // MSW keeps a copy of the stream, so that its reader's `cancel` does not come here.
      signal.addEventListener('abort', () => {
        controller.error(signal.reason);
        texts.return();
      });
    },
    async pull(controller) {
      const { done, value } = await texts.next();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return();
    },
  });
  return new HttpResponse(stream, { headers: { 'Content-Type': TYPE } });
}
