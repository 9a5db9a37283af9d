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
  const code = blockOf('ts').replace('@berth/mock', './_mock.ts').replace(':8080', `:${port}`);
  await writeFile(join(folder, 'basket.ts'), code);
  started = await mock.createMock({ services: folder });
});
afterAll(async () => {
  await started?.close();
  real.close();
  await rm(folder, { recursive: true, force: true });
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
