import { isDeepStrictEqual } from 'node:util';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { cite } from '../support/cite.ts';
import { orderAnswer } from '../support/order-answer.ts';

const OBJECTS = [
  {},
  {
    text: 'a',
    number: -1.5e3,
    yes: true,
    none: null,
    list: [1, [2], {}],
    object: { '': '中文🙂' },
  },
  { code: 'OK', message: 'not an error', requestId: 'of the service', data: {} },
  { statusCode: 500, body: '<p>&amp;</p>', headers: { 'Content-Type': 'text/html' } },
  { many: Array.from({ length: 60 }, (_, index) => ({ index })) },
];

/** The caller must get JSON objects with 200, as the service has answered. */
export async function expectObject(t: Trial, call: GatewayCall): Promise<void> {
  const orders = OBJECTS.flatMap((object, index) => [
    { object, type: 'application/json', chunked: index % 2 === 0 },
    { object, type: 'application/json; charset=utf-8', chunked: index % 2 === 1 },
  ]);
  for (const { object, ...order } of orders) {
    const body = JSON.stringify(object);
    const { received } = await orderAnswer(t, { ...order, body }, call);
    const { status, mediaType, json, text } = received;
    const what = `${call.method} /answer ${body.slice(0, 60)}`;
    t.expect(status === 200, `${what}: the status must be 200, not ${status}`);
    t.expect(
      mediaType === 'application/json',
      `${what}: the content type must be application/json, not ${cite(mediaType)}`,
    );
    t.expect(
      isDeepStrictEqual(json, object),
      `${what}: the object must be the service's, not ${cite(text)}`,
    );
  }
}
