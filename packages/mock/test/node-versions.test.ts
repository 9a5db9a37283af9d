// Tests the built mock on the oldest Node that it supports; these tests themselves run on the repository's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { NODE_FLOOR } from '../../../scripts/testing/node-floor.ts';
import { untilReady } from './helpers/cli.ts';
import { replaceFile, writeFiles } from './helpers/files.ts';
import { read, upload } from './helpers/upload.ts';

const PACKAGE = join(import.meta.dirname, '..');

const SERVICES = `import { routes } from '@berth/mock';
import { items } from './items.ts';

export default {
  shop: routes({ 'GET /items': () => Response.json(items as string[]) }),
};
`;

test('the oldest Node responds to all kinds of calls, stores files, and serves TypeScript', async () => {
  const [itemsFile = ''] = await writeFiles({
    'items.ts': "export const items: readonly string[] = ['a'];\n",
    'berth.services.ts': SERVICES,
    'package.json': '{ "type": "module" }',
  });
  const folder = dirname(itemsFile);
  await mkdir(join(folder, 'node_modules/@berth'), { recursive: true });
  await symlink(PACKAGE, join(folder, 'node_modules/@berth/mock'), 'dir');
  const command = [join(PACKAGE, 'dist/cli.js'), '--port', '0', '--services', 'berth.services.ts'];
  const child = spawn(NODE_FLOOR, command, { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let warnings = '';
  child.stderr.on('data', (text) => {
    warnings += text;
  });
  const printed = await untilReady(child);
  const mock = { url: /Log and files +(http:\/\/[^/\s]+)/.exec(printed)?.[1] as string };
  const call = (path: string, headers = {}) =>
    fetch(`${mock.url}/v1/cloudrun${path}`, {
      headers: { authorization: 'Bearer any', ...headers },
    });
  expect(await (await call('/hello')).json()).toHaveProperty('message');
  expect((await call('/hello', { prefer: 'dynamic=true' })).status).toBe(200);
  // As Java's `HttpClient` does by default; `fetch` cannot.
  const upgrade = { connection: 'Upgrade, HTTP2-Settings, close', upgrade: 'h2c' };
  const headers = { authorization: 'Bearer any', 'http2-settings': 'AAEAAEAA', ...upgrade };
  const outgoing = request(`${mock.url}/v1/cloudrun/echo`, { method: 'POST', headers });
  const [{ statusCode }] = await once(outgoing.end('body'), 'response');
  expect(statusCode).toBe(200);
  const events = await call('/echo?data=a', { accept: 'text/event-stream' });
  expect(await events.text()).toContain('data: a');
  const socket = new WebSocket(`${mock.url.replace('http', 'ws')}/v1/cloudrun/echo`, {
    headers: { authorization: 'Bearer any' },
  });
  await once(socket, 'open');
  socket.send('over');
  expect(String((await once(socket, 'message'))[0])).toBe('over');
  socket.close();
  expect(await read(mock, await upload(mock, 'a.txt', 'content'))).toBe('content');
  const items = async () => (await call('/shop/items')).json();
  expect(await items()).toEqual(['a']);
  await replaceFile(itemsFile, "export const items: readonly string[] = ['b'];\n");
  await expect.poll(items).toEqual(['b']);
  expect(warnings).toBe('');
});
