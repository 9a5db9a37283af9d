import { gzipSync } from 'node:zlib';
import type { AnswerOrder } from '../../trial/fixture-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { orderAnswer } from '../support/order-answer.ts';

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));
const GZIP = gzipSync('a text that gets shorter '.repeat(20));

const ORDERS: AnswerOrder[] = [
  { type: 'application/octet-stream', body: '' },
  { type: 'application/octet-stream', body: Buffer.of(0) },
  { type: 'application/octet-stream', body: EVERY_BYTE },
  { type: 'image/png', size: 65_537 },
  { type: 'application/octet-stream', size: 300_000, chunked: true },
  { type: 'video/mp4', size: 2000, trickle: 1 },
  { body: EVERY_BYTE },
  { type: 'text/plain; charset=utf-16', body: Buffer.from('\uFEFFa\r\nb', 'utf16le') },
  { type: 'text/plain; charset=utf-8', body: '\uFEFFa\r\n\0b\n\xFF' },
  { type: 'text/plain', body: EVERY_BYTE, chunked: true },
  { type: 'text/html', body: '<html><body><script>a&&b</script></body></html>' },
  { type: 'application/json', body: ' { "b" : 1.0, "a":1e2,\n"b":"\\u0041/" }\r\n' },
  { type: 'application/json', body: '{"cut":' },
  { type: 'application/x-www-form-urlencoded', body: 'a=%2f&b=+' },
  { type: 'text/plain', body: GZIP, headers: [['Content-Encoding', 'gzip']] },
  { type: 'application/gzip', body: GZIP },
  { status: 302, type: 'text/html', body: '<a href="/a">moved</a>' },
  { status: 404, type: 'text/html', body: '<h1>of the service</h1>' },
  { status: 500, type: 'application/json', body: '{"code":1}' },
  { status: 503, type: 'application/octet-stream', body: EVERY_BYTE },
];

export const gwBody = defineCheck('GW-BODY', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    for (const order of ORDERS) await expectBody(t, call, order);
  }
  // A caller that takes gzip must not get what the service has not sent either.
  const headers = { 'Accept-Encoding': 'gzip, br' };
  const order = { type: 'text/plain', body: 'a text that gets shorter '.repeat(80) };
  await expectBody(t, { method: 'GET', headers }, order);
});

async function expectBody(
  t: Trial,
  call: Parameters<typeof orderAnswer>[2],
  order: AnswerOrder,
): Promise<void> {
  const { received } = await orderAnswer(t, order, call);
  const { status, body } = received;
  t.reach(status === (order.status ?? 200), `an order of ${order.status ?? 200} brought ${status}`);
  const wanted = toBytes(order);
  const at = wanted.findIndex((byte, index) => byte !== body[index]);
  const difference = at < 0 ? 'more' : `another byte at ${at}`;
  t.expect(
    wanted.equals(body),
    `${call?.method} /answer ${order.type ?? 'without a type'}: the ${wanted.length} bytes must be the service's, not ${body.length} with ${difference}`,
  );
}

function toBytes({ body = '', size }: AnswerOrder): Buffer {
  if (size === undefined) return Buffer.from(body);
  return Buffer.from(Uint8Array.from({ length: size }, (_, index) => index % 251));
}
