import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { EventsOrder, ResponseOrder } from '../context/fixture-client.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type HeaderList, readAll } from '../http/exchange.ts';
import { isSameType } from '../http/media-type.ts';
import { gatewayMethods, jsonPost, openSocket, requestResponse } from './support/gateway.ts';

/** A requested response, with the dispositions that the service itself sets. */
interface DispositionOrder extends Omit<ResponseOrder, 'headers'> {
  own?: readonly string[];
}

/**
 * Requests a response. If it does not arrive with the service's status and content type, the check is skipped: the
 * contract does not say what applies then.
 */
async function requestDisposition(
  t: CheckContext,
  { own = [], ...order }: DispositionOrder,
  call: GatewayCall,
): Promise<void> {
  const { status = 200 } = order;
  const headers = own.map((value) => ['Content-Disposition', value] as const);
  const content = order.size === undefined ? { body: order.body ?? 'a' } : {};
  const { received } = await requestResponse(t, { ...order, ...content, headers }, call);
  const type = received.header('content-type');
  const isSame =
    received.status === status && (order.type === undefined || isSameType(order.type, type));
  const expected = `${status} ${order.type ?? 'without a type'}`;
  t.reach(isSame, `${expected} arrived as ${received.status} ${type ?? 'without a type'}`);
}

const GET_ORDERS: DispositionOrder[] = [
  { type: 'application/json', body: '{}' },
  { type: 'application/json; charset=utf-8', body: '{}', chunked: true },
  { type: 'text/plain' },
  { type: 'application/x-www-form-urlencoded', body: 'a=b' },
  { type: 'text/html' },
  { type: 'image/png', size: 70_000 },
  { type: 'application/octet-stream', body: '' },
  { type: 'application/problem+json', status: 404, body: '{}' },
  { type: 'text/plain', status: 500 },
  { type: 'application/json', status: 201, body: '{}' },
  { type: 'text/html', status: 302 },
  { status: 307, body: '' },
  { type: 'video/mp4', status: 206, size: 5 },
  { type: 'text/plain', status: 403 },
  { body: 'without a type' },
  { type: 'text/plain', own: ['attachment; filename="a.txt"'] },
  { type: 'application/json', own: ['inline'] },
  { type: 'image/png', own: ['INLINE; filename="a, attachment; b.png"'] },
  { type: 'text/html', own: ['form-data; name="a"'] },
];

/** Text types, and types that begin or end like one. */
const OTHER_TYPES = [
  ...['text/html', 'text/html; charset=utf-8', 'application/problem+json', 'text/css', 'text/csv'],
  ...['application/vnd.api+json; charset=utf-8', 'text/markdown', 'text/xml', 'application/xml'],
  ...['image/svg+xml', 'application/javascript', 'text/javascript', 'text/json', 'text/x-plain'],
  ...['application/json-seq', 'application/jsonlines', 'application/x-ndjson', 'text/plain-not'],
  'multipart/related; type="application/json"',
];

const TEXTS = [
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'text/plain; charset="utf-8"; format=flowed',
  'text/plain ; charset=gb18030',
  'application/x-www-form-urlencoded; charset=utf-8',
  'application/json; profile="image/png"',
];

/** Parameters that name a text type do not make the type itself one. */
const OTHERS = [
  'image/png; note=text/plain',
  'application/octet-stream; name="application/json"',
  'multipart/related; boundary=a; type="text/plain"',
];

const TEXT_TYPES = [
  ...['application/json', 'application/x-www-form-urlencoded', 'text/plain'],
  ...['Application/JSON', 'TEXT/PLAIN'],
];

const TEXT_ORDERS: DispositionOrder[] = [
  ...TEXT_TYPES.flatMap((type) => [
    { type, body: '{}' },
    { type, status: 404, body: '' },
  ]),
  { type: 'application/json', body: '{}', own: ['attachment'] },
  { type: 'text/plain', body: '{}', own: ['inline; filename="a"'] },
  { type: 'text/plain', size: 70_000, chunked: true },
  { type: 'application/json', status: 500, body: '{}' },
];

const JSON_ORDERS: DispositionOrder[] = [
  { type: 'image/png', size: 70_000 },
  { type: 'IMAGE/JPEG' },
  { type: 'application/octet-stream', body: '' },
  { type: 'application/octet-stream', body: '{"a":"looks like JSON"}' },
  { type: 'application/pdf', chunked: true },
  { type: 'application/zip' },
  { type: 'audio/mpeg' },
  { type: 'video/mp4', status: 206 },
  { type: 'font/woff2', status: 404 },
  { type: 'application/octet-stream', status: 500 },
  { type: 'image/png', own: ['attachment; filename="a.png"'] },
  { type: 'image/png', own: ['inline; filename="attachment"'] },
  { type: 'application/octet-stream', own: ['form-data; name="a"'] },
];

const OWN_HEADERS: HeaderList[] = [
  [],
  [['Content-Disposition', 'attachment; filename="a.txt"']],
  [['content-disposition', 'inline']],
];

const OFFERS = ['conformance'];

const EVENTS_ORDERS: EventsOrder[] = [
  { count: 1 },
  { count: 1, type: 'text/event-stream; charset=utf-8' },
  { count: 1, type: 'Text/Event-Stream;charset=UTF-8' },
  { count: 1, headers: [['Content-Disposition', 'attachment; filename="a.txt"']] },
  { count: 1, headers: [['Content-Disposition', 'inline']] },
];

const ACCEPTED = ['text/event-stream', 'application/json;q=0.1, Text/Event-Stream; charset=utf-8'];

const INLINE_DISPOSITIONS = [
  ['inline'],
  ['INLINE; filename="a.html"'],
  ['inline; filename="a, attachment; b.html"'],
  ['attachment; filename="a.html"', 'inline'],
  ['inline', 'attachment'],
  [" inline ;filename*=UTF-8''a"],
];

/** Not a text type, so that C2 applies to a POST as C1 does to a GET. */
const SHOWN = ['text/html', 'image/png'];

const definePostCheck = (id: SentenceId, orders: readonly DispositionOrder[]): Check =>
  defineCheck(id, ['fixture'], async (t) => {
    for (const order of orders) await requestDisposition(t, order, jsonPost);
  });

export const gatewayDisposition: readonly Check[] = [
  defineCheck('GW-C1', ['fixture'], async (t) => {
    for (const order of GET_ORDERS) await requestDisposition(t, order, { method: 'GET' });
    // The root of a service has its own operation.
    await t.onOneConnection(async ({ gateway }) => {
      for (const path of ['', '/']) await gateway.call({ path });
    });
  }),
  definePostCheck('GW-C2/1', [
    ...JSON_ORDERS,
    ...[...OTHERS, ...OTHER_TYPES].map((type) => ({ type, body: '{}' })),
  ]),
  definePostCheck('GW-C2/2', [...TEXT_ORDERS, ...TEXTS.map((type) => ({ type, body: '{}' }))]),
  defineCheck('GW-C3/1', ['fixture'], async (t: CheckContext) => {
    for (const call of gatewayMethods) {
      for (const accept of ACCEPTED) {
        for (const order of EVENTS_ORDERS) {
          const headers = { ...call.headers, Accept: accept };
          const path = t.fixture.events(order);
          const exchange = await t.gateway.call({ ...call, headers, path });
          const { status, mediaType } = exchange.received;
          const isStream = status === 200 && mediaType === 'text/event-stream';
          const came = `${status} ${mediaType}`;
          t.reach(isStream, `the response to a request for an event stream was ${came}`);
        }
      }
    }
  }),
  defineCheck('GW-C3/2', ['fixture', 'webSocket'], async (t) => {
    for (const headers of OWN_HEADERS) {
      await openSocket(t, { headers, offers: OFFERS }, async (_, upgrade) => {
        const came = readAll(upgrade.headers, 'content-disposition').join(', ');
        const what = `a 101 response (Content-Disposition from the service: ${headers[0]?.[1] ?? 'none'})`;
        t.expect(came === '', `${what}: Content-Disposition must be absent, but it was ${came}`);
      });
    }
  }),
  defineCheck('GW-DISPOSITION-INLINE', ['fixture'], async (t) => {
    for (const call of gatewayMethods) {
      const types = call.method === 'GET' ? ['application/json', ...SHOWN] : SHOWN;
      const orders = INLINE_DISPOSITIONS.flatMap((own) => types.map((type) => ({ type, own })));
      for (const order of [...orders, { type: 'text/html', status: 404, own: ['inline'] }]) {
        await requestDisposition(t, order, call);
      }
    }
  }),
];
