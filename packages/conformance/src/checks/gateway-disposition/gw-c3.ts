import type { EventsOrder } from '../../trial/fixture-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

const ORDERS: EventsOrder[] = [
  { count: 1 },
  { count: 1, type: 'text/event-stream; charset=utf-8' },
  { count: 1, type: 'Text/Event-Stream;charset=UTF-8' },
  { count: 1, headers: [['Content-Disposition', 'attachment; filename="a.txt"']] },
  { count: 1, headers: [['Content-Disposition', 'inline']] },
];
const ACCEPTED = ['text/event-stream', 'application/json;q=0.1, Text/Event-Stream; charset=utf-8'];

export const gwC3 = defineCheck('GW-C3', ['fixture'], async (t: Trial) => {
  for (const call of gatewayMethods) {
    for (const accept of ACCEPTED) {
      for (const order of ORDERS) {
        const headers = { ...('headers' in call ? call.headers : {}), Accept: accept };
        const { received } = await t.gateway.call({
          ...call,
          headers,
          path: t.fixture.events(order),
        });
        const { status, mediaType } = received;
        const isStream = status === 200 && mediaType === 'text/event-stream';
        t.reach(isStream, `an event stream came as ${status} ${mediaType}`);
        const came = received.header('content-disposition');
        const what = `${call.method} /events with Accept: ${accept}`;
        t.expect(came === undefined, `${what}: there must be no Content-Disposition, not ${came}`);
      }
    }
  }
});
