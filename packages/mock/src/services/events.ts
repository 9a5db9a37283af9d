/** The helper `events`, in the mock and in MSW. Also runs in browsers: must not import Node modules. */
import { type ServerEvent, toEventText } from '@berth/server-stubs/contract';

/**
 * Responds with server-sent events, as fast as the caller reads them. If the caller disconnects, the iterator ends.
 *
 * @param request if it is passed and the events are an array, a caller that reconnects gets those after the one in
 *   `Last-Event-ID`, or a 204 if there are none, which ends its stream
 * @example
 * 'GET /news': (request) => events([{ event: 'mail', data: { from: 'Bob' } }], request)
 * @example
 * 'GET /clock': () => events((async function* () { yield { data: 'tick' }; })())
 */
export function events(
  source: Iterable<ServerEvent> | AsyncIterable<ServerEvent>,
  request?: Request,
): Response {
  const unread = Array.isArray(source) && request ? skipReceived(source, request) : source;
  // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
  if (Array.isArray(unread) && unread.length === 0) return new Response(null, { status: 204 });
  const iterator = toTexts(unread);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      // Not awaited: it may be waiting indefinitely.
      // biome-ignore lint/suspicious/noConsole: in a page, there is no other place
      iterator.return(undefined).catch((error: unknown) => console.error(error));
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
  return new Response(body, { headers });
}

function skipReceived(list: readonly ServerEvent[], { headers }: Request): ServerEvent[] {
  const last = headers.get('last-event-id');
  const numbered = list.map((event, index) => ({ id: index + 1, ...event }));
  const received = numbered.findLastIndex(({ id }) => String(id) === last);
  const [first, ...others] = numbered.slice(received + 1);
  // The list ends the stream, and a test need not wait before its client reconnects.
  return first === undefined ? [] : [{ retry: 1, ...first }, ...others];
}

async function* toTexts(
  source: Iterable<ServerEvent> | AsyncIterable<ServerEvent>,
): AsyncGenerator<string, undefined, undefined> {
  let number = 0;
  for await (const event of source) {
    number += 1;
    yield toEventText(event.data === undefined ? event : { id: number, ...event });
  }
}
