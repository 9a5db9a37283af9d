import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { parseJson } from '../http/exchange.ts';
import { cite } from '../validation/cite.ts';
import { EVENTS, followEvents, parseEvents } from './support/events.ts';
import { gatewayMethods, requestResponse } from './support/gateway.ts';

/** Between the pieces of an event stream, in milliseconds. */
const PAUSE = 3;

/**
 * How long the fixture waits for the release, and again between later events, in milliseconds. Each further stream
 * waits twice as long, within the time limit of a call.
 */
const FIRST_WAIT = 3000;

/**
 * A busy machine may occasionally deliver events together that were sent separately; a gateway that buffers
 * always does.
 */
const STREAMS = 3;

/**
 * The service holds its stream after the first event until it is released. A caller that has received the
 * first event by then did not have to wait for a later one. The service holds it again after the second
 * event, for so long that a gateway with a short limit cuts it off.
 */
async function expectUnbuffered(t: CheckContext, call: GatewayCall): Promise<void> {
  for (let streams = 1; ; streams += 1) {
    const pause = Math.min(FIRST_WAIT * 2 ** (streams - 1), Math.floor(t.settings.timeout / 4));
    const { open, buffered } = await followHeldStream(t, call, pause);
    if (buffered !== undefined && streams < STREAMS) continue;
    t.expect(buffered === undefined, `${call.method} /events: ${buffered}`, open);
    return;
  }
}

async function followHeldStream(t: CheckContext, call: GatewayCall, pause: number) {
  const hold = t.uniqueName();
  const path = t.fixture.events({ count: 3, hold, wait: pause, interval: pause });
  const headers = { ...call.headers, Accept: 'text/event-stream' };
  const open = await t.gateway.open({ ...call, headers, path });
  const stream = followEvents(open);
  try {
    const { status } = open;
    t.reach(status === 200, `the response to a request for an event stream was ${status}`);
    const began = performance.now();
    const soon = 'event must arrive as soon as it is sent, but arrived';
    await stream.until(1);
    t.reach(stream.events().length > 0, 'no event arrived');
    // The service sends the next event after this time, even without a release.
    if (performance.now() - began > 0.9 * pause) {
      return { open, buffered: `the first ${soon} only with the next one` };
    }
    if (!(await t.fixture.release(hold))) {
      // Without a release and without later events, another instance of the fixture got the release.
      if (stream.events().length === 1) return { open };
      return { open, buffered: `the first ${soon} together with later events` };
    }
    await stream.until(2);
    const later = stream.events().length;
    t.reach(later > 1, 'the event stream was cut off');
    if (later > 2) return { open, buffered: `the second ${soon} together with the next one` };
    await stream.until(3);
    const quiet = `the third event must arrive, although the stream was quiet for ${pause} ms before`;
    return stream.events().length > 2 ? { open } : { open, buffered: `${quiet}, but it did not` };
  } finally {
    await stream.close();
  }
}

const EVENT_ORDERS = [
  { count: 1 },
  { count: 3, interval: 5 },
  { count: 50, type: 'text/event-stream; charset=utf-8' },
];

export const gatewayStreams: readonly Check[] = [
  defineCheck('GW-SSE', ['fixture'], async (t: CheckContext) => {
    for (const call of gatewayMethods) {
      const headers = { ...call.headers, Accept: 'text/event-stream' };
      for (const order of EVENT_ORDERS) {
        const path = t.fixture.events(order);
        const { received } = await t.gateway.call({ ...call, headers, path });
        const { status, mediaType } = received;
        const what = `${call.method} /events?count=${order.count}`;
        t.reach(status === 200, `the response to ${what} was ${status}`);
        t.expectEqual(`${what}: the content type`, mediaType, 'text/event-stream');
        const wanted = Array.from({ length: order.count }, (_, index) => String(index + 1));
        const ids = parseEvents(received.text).map(({ id = '', data }) =>
          String(Object(parseJson(data)).n) === id ? id : '?',
        );
        const came = ids.join().slice(0, 200) || 'none';
        const message = `${what}: all events must arrive in order, but the IDs that arrived were ${came}`;
        t.expect(wanted.join() === ids.join(), message);
      }
      const order = { type: 'text/event-stream', body: EVENTS, trickle: PAUSE };
      const { received } = await requestResponse(t, order, { ...call, headers });
      const wanted = parseEvents(EVENTS);
      const came = parseEvents(received.text);
      for (const index of wanted.keys()) {
        const [one, other] = [wanted, came].map((events) => JSON.stringify(events[index]));
        const place = `${call.method} /respond: event ${index + 1} must arrive`;
        t.expect(one === other, `${place} as ${cite(one)}, not as ${cite(other)}`);
      }
      const counts = `${wanted.length} events must arrive, but ${came.length} did`;
      t.expect(came.length === wanted.length, `${call.method} /respond: ${counts}`);
    }
  }),
  defineCheck(
    'GW-SSE-UNBUFFERED',
    ['fixture'],
    async (t) => {
      await Promise.all(gatewayMethods.map((call) => expectUnbuffered(t, call)));
    },
    { waits: true },
  ),
];
