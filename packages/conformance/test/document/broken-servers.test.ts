import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createConformance } from '../../src/index.ts';
import { type Fault, problem, startShop } from './start-shop.ts';

const DOCUMENT = fileURLToPath(new URL('shop.openapi.yaml', import.meta.url));

async function check(fault?: Fault) {
  await using server = await startShop(fault);
  const { url, shop } = server;
  const report = await createConformance({
    ...{ document: DOCUMENT, url, allowWrites: true, seed: 1, maxRequests: 24 },
  }).run();
  return { report, shop };
}

type Change = (reply: Parameters<Fault>[0], call: Parameters<Fault>[1]) => object;

/** Changes the responses of one operation that succeed. */
const on =
  (wanted: string, change: Change): Fault =>
  (reply, call) =>
    call.operation === wanted && reply.status < 300 ? { ...reply, ...change(reply, call) } : reply;

/** Changes the responses of one operation to requests that match. */
const to =
  (wanted: string, url: RegExp, change: Change): Fault =>
  (reply, call) =>
    call.operation === wanted && url.test(call.shop.requests.at(-1)?.url ?? '')
      ? { ...reply, ...change(reply, call) }
      : reply;

const first = ({ body }: { body?: unknown }) =>
  (body as { items: Record<string, unknown>[] }).items[0];
const item = { id: 999, name: 'rope', price: 1 };
/** Accepts what the correct server rejects. */
const accept =
  (operation: string, isMet: (body: Record<string, unknown>) => unknown): Fault =>
  (reply, call) =>
    call.operation === operation && reply.status === 400 && isMet(Object(call.body))
      ? { status: 201, body: item }
      : reply;
const events = (...data: string[]) => ({ body: data.map((text) => `data: ${text}\n\n`).join('') });

/** Broken servers: what is wrong, the rules that find it, where, and the fault. */
const MUTANTS: [name: string, failing: string, fault: Fault][] = [
  ['an undocumented success', 'DOC-STATUS GET /items', on('GET /items', () => ({ status: 206 }))],
  [
    'an undocumented error',
    'DOC-STATUS GET /items/{id}',
    on('GET /items/{id}', () => problem(410)),
  ],
  [
    'an undocumented deletion',
    'DOC-STATUS DELETE /items/{id}',
    on('DELETE /items/{id}', () => ({ status: 202 })),
  ],
  [
    'a missing field',
    'DOC-SCHEMA GET /items',
    on('GET /items', (r) => (first(r) ? { body: { items: [{ id: 1, name: 'x' }] } } : {})),
  ],
  [
    'text for a number',
    'DOC-SCHEMA POST /items',
    on('POST /items', ({ body }) => ({ body: { ...Object(body), price: '1' } })),
  ],
  ['null for a list', 'DOC-SCHEMA GET /items', on('GET /items', () => ({ body: { items: null } }))],
  [
    'a list for an object',
    'DOC-SCHEMA GET /items',
    on('GET /items', ({ body }) => ({ body: Object(body).items })),
  ],
  ['broken JSON', 'DOC-SCHEMA GET /items', on('GET /items', () => ({ body: '{"items": [' }))],
  [
    'an error without its title',
    'DOC-SCHEMA GET /items/{id}',
    to('GET /items/{id}', /./, ({ status }) => (status === 404 ? { body: {} } : {})),
  ],
  ['HTML for JSON', 'DOC-MEDIA GET /items', on('GET /items', () => ({ type: 'text/html' }))],
  [
    'JSON for a problem',
    'DOC-MEDIA GET /items/{id}',
    to('GET /items/{id}', /./, ({ status }) => (status < 400 ? {} : { type: 'application/json' })),
  ],
  ['no body', 'DOC-MEDIA POST /items', on('POST /items', () => ({ body: undefined }))],
  ['no total', 'DOC-HEADER GET /items', on('GET /items', () => ({ headers: {} }))],
  [
    'a total in words',
    'DOC-HEADER GET /items',
    on('GET /items', () => ({ headers: { 'x-total': 'two' } })),
  ],
  [
    'a negative total',
    'DOC-HEADER GET /items',
    on('GET /items', () => ({ headers: { 'x-total': '-1' } })),
  ],
  [
    'accepts no price',
    'DOC-INVALID POST /items',
    accept('POST /items', ({ name, price }) => name && price === undefined),
  ],
  [
    'accepts no body',
    'DOC-INVALID POST /items',
    to('POST /items', /./, (_, { body }) => (body ? {} : { status: 201, body: item })),
  ],
  [
    'accepts a price in words',
    'DOC-INVALID POST /items',
    accept('POST /items', ({ price }) => typeof price === 'string'),
  ],
  [
    'accepts a negative price',
    'DOC-INVALID POST /items',
    accept('POST /items', ({ price }) => Number(price) < 0),
  ],
  [
    'accepts long names',
    'DOC-INVALID POST /items',
    accept('POST /items', ({ name }) => String(name).length > 40),
  ],
  [
    'accepts any name',
    'DOC-INVALID POST /items',
    accept('POST /items', ({ name }) => !/^[a-z]+$/.test(String(name))),
  ],
  [
    'accepts unknown fields',
    'DOC-INVALID POST /items',
    accept('POST /items', (body) => 'berthUnknownProperty' in body),
  ],
  [
    'ignores limits',
    'DOC-INVALID GET /items',
    to('GET /items', /limit=(0|101)/, () => ({
      ...{ status: 200, headers: { 'x-total': '0' }, body: { items: [] }, type: undefined },
    })),
  ],
  [
    'ignores the type of an ID',
    'DOC-INVALID GET /items/{id}',
    to('GET /items/{id}', /items\/[a-z]/, () => ({ status: 200, body: item, type: undefined })),
  ],
  [
    'fails on invalid input',
    'DOC-5XX POST /items',
    to('POST /items', /./, ({ status }) => (status === 400 ? problem(500) : {})),
  ],
  [
    'fails on valid input',
    'DOC-5XX GET /items',
    to('GET /items', /sort=price/, () => problem(500)),
  ],
  [
    'an event without its price',
    'DOC-SSE GET /prices',
    on('GET /prices', () => events('{"price": 1}', '{}')),
  ],
  ['an event with text', 'DOC-SSE GET /prices', on('GET /prices', () => events('{"price": "1"}'))],
  ['an event that is not JSON', 'DOC-SSE GET /prices', on('GET /prices', () => events('price: 1'))],
  [
    'forgets what it creates',
    'DOC-SEQUENCE POST /items',
    on('POST /items', ({ body }, { shop }) => {
      shop.items.delete(Object(body).id);
      return {};
    }),
  ],
  [
    'changes what it creates',
    'DOC-SEQUENCE POST /items',
    on('GET /items/{id}', ({ body }) => ({ body: { ...Object(body), name: 'other' } })),
  ],
  [
    'creates the same item again and again',
    'DOC-SEQUENCE POST /items',
    on('POST /items', ({ body }, { shop }) => {
      const { id, ...fields } = Object(body);
      shop.items.delete(id);
      shop.items.set(900, { ...fields, id: 900 });
      return { body: { ...fields, id: 900 } };
    }),
  ],
  [
    'lists what cannot be read',
    'DOC-SEQUENCE GET /items/{id}',
    on('GET /items', () => ({ body: { items: [item] } })),
  ],
  [
    'deletes nothing',
    'DOC-SEQUENCE DELETE /items/{id}',
    (reply, { operation, body, shop }) => {
      if (operation === 'POST /items' && reply.status === 201)
        kept.set(Object(reply.body).id, Object(reply.body));
      const id = Number(shop.requests.at(-1)?.url.split('/').at(-1));
      const isKept =
        operation === 'GET /items/{id}' &&
        reply.status === 404 &&
        body === undefined &&
        kept.has(id);
      return isKept ? { status: 200, body: kept.get(id) } : reply;
    },
  ],
];
const kept = new Map<number, object>();

test('a correct server passes, and keeps its own items', async () => {
  const { report, shop } = await check();
  expect(report.results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(report).toMatchObject({ exitCode: 0, leftovers: [] });
  expect([...shop.items.keys()]).toEqual([1, 2]);
  expect(report.coverage?.percent).toBeGreaterThanOrEqual(85);
});

test.each(MUTANTS)('%s: %s', async (_, failing, fault) => {
  const { report } = await check(fault);
  const failed = report.results.filter(({ outcome }) => outcome === 'fail');
  expect(failed.map(({ id }) => id)).toContain(failing);
  const own = failing.split(' ')[0];
  // A broken item also breaks sequences.
  const others = failed.filter(({ rules }) => ![own, 'DOC-SEQUENCE'].includes(rules[0]));
  expect(others.map(({ id }) => id)).toEqual([]);
  expect(report.exitCode).toBe(1);
});
