// Tests the built mock on the oldest Node that it supports; these tests themselves run on the repository's.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { NODE_FLOOR } from '../../../scripts/testing/node-floor.ts';
import { finish, untilReady } from './helpers/cli.ts';
import { replaceFile } from './helpers/replace-file.ts';
import { read, upload } from './helpers/upload.ts';

const PACKAGE = join(import.meta.dirname, '..');

const SERVICES = `import { defineServices } from '@berth/mock';
import { items } from './items.ts';

export default defineServices({
  shop: { routes: { 'GET /items': () => ({ json: items as string[] }) } },
});
`;
const BROKEN = `import { defineServices } from '@berth/mock';

export default defineServices({
  shop: { routes: { 'GET /items': { json: [] as string[] } }
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-node-versions-'));
  await mkdir(join(folder, 'node_modules/@berth'), { recursive: true });
  await symlink(PACKAGE, join(folder, 'node_modules/@berth/mock'), 'dir');
  await write('package.json', '{ "type": "module" }');
  await write('berth.services.ts', SERVICES);
  await write('items.ts', "export const items: readonly string[] = ['a'];\n");
  await mkdir(join(folder, 'broken'));
  await write('broken/broken.ts', BROKEN);
  await write('broken/enum.ts', '\n  enum Colour { Red }\nexport default Colour;\n');
});
afterAll(() => rm(folder, { recursive: true }));

function write(name: string, text: string): Promise<void> {
  return replaceFile(join(folder, name), text);
}

describe('the oldest Node', () => {
  function spawnMock(...args: string[]): ChildProcess {
    const command = [join(PACKAGE, 'dist/cli.js'), '--port', '0', ...args];
    return spawn(NODE_FLOOR, command, { cwd: folder });
  }

  async function withMock(args: string[], use: (mock: { url: string }) => Promise<void>) {
    const child = spawnMock(...args);
    let warnings = '';
    child.stderr?.on('data', (text) => {
      warnings += text;
    });
    try {
      const url = /Log and files +(http:\/\/[^/\s]+)/.exec(await untilReady(child))?.[1];
      await use({ url: url as string });
      expect(warnings).toBe('');
    } finally {
      child.kill('SIGKILL');
    }
  }

  const call = ({ url }: { url: string }, path: string, headers = {}) =>
    fetch(`${url}/v1/cloudrun${path}`, { headers: { authorization: 'Bearer any', ...headers } });

  test('responds to all kinds of calls, stores files, and serves TypeScript', async () => {
    const args = ['--services', 'berth.services.ts'];
    await withMock(args, async (mock) => {
      expect(await (await call(mock, '/hello')).json()).toHaveProperty('message');
      const made = await call(mock, '/hello', { prefer: 'dynamic=true' });
      expect(made.status).toBe(200);
      const accept = 'text/event-stream';
      expect(await (await call(mock, '/echo?data=a', { accept })).text()).toContain('data: a');
      expect(await echo(mock, 'over')).toBe('over');
      expect(await read(mock, await upload(mock, 'a.txt', 'content'))).toBe('content');
      const items = async () => (await call(mock, '/shop/items')).json();
      expect(await items()).toEqual(['a']);
      await write('items.ts', "export const items: readonly string[] = ['b'];\n");
      await expect.poll(items).toEqual(['b']);
      await write('items.ts', "export const items: readonly string[] = ['a'];\n");
    });
  });

  test('reports the location of errors', async () => {
    const { code, stderr } = await finish(spawnMock('--services', './broken'));
    const [syntax, enumeration, ...others] = stderr.split('\n');
    expect(syntax).toMatch(/^broken\/broken\.ts:4: SyntaxError: /);
    expect(enumeration).toMatch(
      /^broken\/enum\.ts:2:3: SyntaxError: .* use a union or an object instead\.$/,
    );
    expect([code, others]).toEqual([2, ['']]);
  });
});

/** Returns what the `echo` service sends back for a message. */
function echo({ url }: { url: string }, message: string): Promise<string> {
  const address = `${url.replace('http', 'ws')}/v1/cloudrun/echo`;
  const socket = new WebSocket(address, { headers: { authorization: 'Bearer any' } });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send(message));
    socket.on('message', (data) => {
      resolve(String(data));
      socket.close();
    });
  });
}
