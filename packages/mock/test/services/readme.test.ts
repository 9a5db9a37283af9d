import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import * as mock from '../../src/index.ts';
import { AUTH, get, post } from './start-services.ts';

/** The examples of the section "Your own services", as files. */
let folder: string;
let started: mock.Mock;
const real = createServer((request, response) => response.end(`real ${request.url}`));

beforeAll(async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.split('\n## Your own services\n')[1]?.split('\n## ')[0] ?? '';
  const blockOf = (type: string) => section.split(`\`\`\`${type}\n`)[1]?.split('\n```')[0] ?? '';
  real.listen(8080, '127.0.0.1').on('error', () => real.listen(0, '127.0.0.1'));
  await once(real, 'listening');
  const { port } = real.address() as { port: number };
  folder = await mkdtemp(join(tmpdir(), 'berth-readme-'));
  // The package as a user imports it; this test has it from source.
  Object.assign(globalThis, { berthMock: mock });
  const own = 'export const { defineService, GatewayError } = (globalThis as any).berthMock;';
  await writeFile(join(folder, '_mock.ts'), own);
  await writeFile(join(folder, 'orders.yaml'), blockOf('yaml'));
  const code = blockOf('ts').replace('@berth/mock', './_mock.ts').replace(':8080', `:${port}`);
  await writeFile(join(folder, 'basket.ts'), code);
  started = await mock.createMock({ services: folder });
});
afterAll(async () => {
  await started?.close();
  real.close();
  await rm(folder, { recursive: true, force: true });
});

test('the YAML example responds as documented', async () => {
  expect(await (await get(started, 'orders/orders')).json()).toEqual([{ id: 'a', total: 12 }]);
  expect(await (await get(started, 'orders/orders?status=open')).json()).toEqual([]);
  const created = await post(started, 'orders/orders', '{}');
  expect([created.status, created.headers.get('location')]).toEqual([201, '/orders/b']);
  const receipt = await get(started, 'orders/orders/a/receipt');
  expect([receipt.headers.get('content-type'), await receipt.text()]).toEqual([
    'application/pdf',
    '%PDF-1.4',
  ]);
  await expect(get(started, 'orders/orders/a/progress').then((r) => r.text())).rejects.toThrow();
  const again = { headers: { 'last-event-id': '2' } };
  expect(await (await get(started, 'orders/orders/a/progress', again)).text()).toBe(
    'event: done\nid: 3\ndata: {"percent":100}\n\n',
  );
});

test('its WebSocket too', async () => {
  const address = `${started.url.replace('http', 'ws')}/v1/cloudrun/orders/orders/live`;
  const socket = new WebSocket(address, { headers: AUTH });
  expect(String((await once(socket, 'message'))[0])).toBe('{"type":"welcome"}');
  socket.send('{"type":"subscribe","topic":"all"}');
  expect(String((await once(socket, 'message'))[0])).toBe('{"type":"order","id":"b"}');
  const [code, reason] = await once(socket, 'close');
  expect([code, String(reason)]).toEqual([1000, 'over']);
});

test('the TypeScript example responds as documented', async () => {
  expect(await (await get(started, 'basket/items')).json()).toEqual([]);
  await post(started, 'basket/items', '{"id":"a"}');
  expect(await (await get(started, 'basket/items')).json()).toEqual([{ id: 'a' }]);
  const other = { headers: { 'X-Mock-Session': 'other' } };
  expect(await (await get(started, 'basket/items', other)).json()).toEqual([]);
  const failed = await post(started, 'basket/checkout', '');
  expect([failed.status, (await failed.json()).code]).toEqual([504, 'SERVICE_TIMEOUT']);
  expect(await (await get(started, 'basket/other?x=1')).text()).toBe('real /other?x=1');
  const ticks = await get(started, 'basket/ticks');
  const { value } = await (ticks.body as ReadableStream<Uint8Array>).getReader().read();
  expect(Buffer.from(value as Uint8Array).toString()).toMatch(/^id: 1\ndata: \d{4}-/);
  const socket = new WebSocket(`${started.url.replace('http', 'ws')}/v1/cloudrun/basket/upper`, {
    headers: AUTH,
  });
  await once(socket, 'open');
  socket.send('a');
  expect(String((await once(socket, 'message'))[0])).toBe('A');
  socket.terminate();
});

test('a call without a route is in the log as unmatched, with its service', async () => {
  const session = started.session();
  session.requests({ unmatched: true });
  expect((await get(started, 'orders/ordrs')).status).toBe(404);
  expect((await get(started, 'ordrs/orders')).status).toBe(404);
  expect(session.requests({ unmatched: true }).map(({ service }) => service)).toEqual(
    expect.arrayContaining(['orders', 'ordrs']),
  );
});
