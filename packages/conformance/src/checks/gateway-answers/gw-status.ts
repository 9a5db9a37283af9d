import type { AnswerOrder } from '../../trial/fixture-tool.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { orderAnswer } from '../support/order-answer.ts';

const EMPTY = [204, 304];
const STATUSES = [
  ...[200, 201, 202, 204, 206, 299, 301, 302, 303, 304, 307, 308],
  ...[400, 401, 403, 404, 405, 409, 413, 418, 422, 429, 451, 499],
  ...[500, 501, 502, 503, 504, 599],
];

export const gwStatus = defineCheck('GW-STATUS', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    for (const status of STATUSES) {
      const { received } = await orderAnswer(t, toOrder(status), {
        ...call,
        keep429: status === 429,
      });
      const message = `${call.method} /answer ${status}: the status must be ${status}, not ${received.status}`;
      t.expect(received.status === status, message);
    }
  }
});

/** Bodies in turn: a text, what looks like an error of the gateway, and none. */
function toOrder(status: number): AnswerOrder {
  const location: AnswerOrder =
    status >= 300 && status < 400 ? { headers: [['Location', '/elsewhere']] } : {};
  if (EMPTY.includes(status) || status % 3 === 0) return { status, ...location };
  if (status % 3 === 1) return { status, type: 'text/plain', body: 'of the service', ...location };
  const body = { code: 'SERVICE_TIMEOUT', message: 'of the service', requestId: 'of the service' };
  return { status, type: 'application/json', body: JSON.stringify(body), ...location };
}
