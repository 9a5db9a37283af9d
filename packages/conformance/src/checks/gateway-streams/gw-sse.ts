import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { cite } from '../support/cite.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { parseEvents } from './parse-events.ts';

const ORDERS = [
  { count: 1 },
  { count: 3, interval: 5 },
  { count: 50, type: 'text/event-stream; charset=utf-8' },
];

export const gwSse = defineCheck('GW-SSE', ['fixture'], async (t: Trial) => {
  for (const call of gatewayMethods) {
    for (const order of ORDERS) {
      const own = 'headers' in call ? call.headers : {};
      const headers = { ...own, Accept: 'text/event-stream' };
      const { received } = await t.gateway.call({
        ...call,
        headers,
        path: t.fixture.events(order),
      });
      const { status, mediaType } = received;
      const what = `${call.method} /events?count=${order.count}`;
      t.reach(status === 200, `${what} was answered with ${status}`);
      t.expect(
        mediaType === 'text/event-stream',
        `${what}: the content type must be text/event-stream, not ${cite(mediaType)}`,
      );
      const wanted = Array.from({ length: order.count }, (_, index) => String(index + 1));
      const ids = parseEvents(received.text).map(({ id, data }) => (isOf(data, id) ? id : '?'));
      t.expect(
        wanted.join() === ids.join(),
        `${what}: all events must come in order, not ${ids.join().slice(0, 200) || 'none'}`,
      );
    }
  }
});

function isOf(data: string, id: string): boolean {
  try {
    return String(JSON.parse(data).n) === id;
  } catch {
    return false;
  }
}
