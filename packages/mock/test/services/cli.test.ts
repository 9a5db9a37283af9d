import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finish, spawnCli, untilReady } from '../helpers/cli.ts';
import { get } from './start-services.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const define = (text: string) => writeFile(join(folder, 'orders.yaml'), `routes: { ${text} }\n`);

test('--services serves a folder, and tells what changes and what is wrong', async () => {
  await define('GET /: { json: 1 }');
  const child = spawnCli('--port', '0', '--services', folder);
  const ended = finish(child);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(await untilReady(child)) ?? [''];
  const answer = async () => (await get({ url }, 'orders')).json();
  expect(await answer()).toBe(1);
  const told = (name: 'stdout' | 'stderr') =>
    once(child[name] as NodeJS.EventEmitter, 'data').then(String);
  const fault = told('stderr');
  await define('GET /: { jsn: 2 }');
  expect(await fault).toBe(
    `${folder}/orders.yaml:1:20: routes["GET /"].jsn is no field here; did you mean json?\n`,
  );
  expect(await answer()).toBe(1);
  const change = told('stdout');
  await define('GET /: { json: 2 }');
  expect(await change).toBe(`Services taken over: ${folder}/orders.yaml\n`);
  expect(await answer()).toBe(2);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('what is wrong at the start ends with 2 and its place', async () => {
  await define('PUT /: {}');
  const { code, stderr } = await finish(spawnCli('--port', '0', '--services', folder));
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^\S+\/orders\.yaml:1:11: routes\["PUT \/"\] must begin with GET, POST or WS/,
  );
});

test('names and paths do not go together', async () => {
  const { code, stderr } = await finish(spawnCli('--services', 'hello', './services'));
  expect(code).toBe(2);
  expect(stderr).toContain('one folder or file, or names alone');
});
