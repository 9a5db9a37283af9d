import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram, testOn } from '../../../../scripts/testing/engines.ts';
import { toTerminalLine } from '../../src/cli/development.ts';
import { runHere, startDevelopment } from './support/cli.ts';
import { makeFolder } from './support/start-server.ts';

const run = promisify(execFile);

testOn('curl')('prints commands that work with nothing but curl and sed', async () => {
  const cwd = await makeFolder();
  await mkdir(join(cwd, 'bin'));
  for (const name of ['curl', 'sed']) {
    await symlink(findProgram([name]) as string, join(cwd, 'bin', name));
  }
  const { cli } = await startDevelopment(cwd);
  const [, commands = ''] = /^Paste .*\n([\s\S]*)\nready\n$/m.exec(cli.stdout) ?? [];
  const env = { PATH: join(cwd, 'bin') };
  const { stdout, stderr } = await run('/bin/sh', ['-eu', '-c', commands], { cwd, env });
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^\{"message":"Hello from the hosted service\."\}\nHTTP\/1\.1 204 [\s\S]*\r\n\r\nHello from Berth\.\n$/,
  );
  await cli.until(() => /GET \/files\/\S+ 200 \d+ ms\n$/.test(cli.stdout));
  const [, calls = ''] = cli.stdout.split('\nready\n');
  expect(calls.replaceAll(/^[\d:]{8} | \d+ ms$/gm, '')).toBe(`GET /v1/cloudrun/hello/a/b 200
POST /api/v2/envs/dev/storages:getUploadMetaData 200
POST /upload 204
POST /api/v2/envs/dev/storages:batchGetTempUrls 200
GET /files/dev/files/hello.txt 200
`);
});

test('a line names the cause of a failure, and cannot control the terminal', () => {
  const line = (fields: object) =>
    toTerminalLine(JSON.stringify({ level: 'warn', time: 0, msg: 'call', ...fields })).slice(8);
  const request = { outcome: 'responded', method: 'GET', path: '/a\u001b[2J' };
  const call = { ...request, status: 502, ms: 2.4, code: 'C' };
  const failed = { ...call, reason: 'No\n.', cause: 'ECONNREFUSED 127.0.0.1:1' };
  expect(line(failed)).toBe(' GET /a?[2J 502 2 ms C: No?.: ECONNREFUSED 127.0.0.1:1\n');
  const ended = { ...call, level: 'info', code: undefined };
  expect(line({ ...ended, outcome: 'disconnected', status: 0 })).toContain(' disconnected 2 ms\n');
  expect(line({ ...ended, outcome: 'aborted', status: 200 })).toContain(' aborted 2 ms\n');
  const unparsed = { outcome: 'refused', path: '', status: 400, reason: 'No.' };
  expect(line(unparsed)).toBe(' 400 0 ms No.\n');
  expect(line({ msg: 'failed', err: { message: 'Oh' } })).toMatch(/ failed: Oh\n$/);
  expect(line({ msg: 'm', err: { stack: 'E\u001b\n at a' } })).toMatch(/ m: E\?\n at a\n$/);
  expect(line({ level: 'info', msg: 'draining' })).toBe('');
});

test('its keys are only readable by the owner, and are used again by the next start', async () => {
  const folder = await makeFolder();
  const first = await startDevelopment(folder, '--data', 'd');
  await fetch(`${first.url}?secret=1`);
  await first.cli.until(() =>
    /\/hello 401 \d+ ms MISSING_CREDENTIALS: The /.test(first.cli.stdout),
  );
  expect(first.cli.stdout).not.toContain('secret=');
  const file = join(folder, 'd/development-keys.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toContain(first.keyId);
  const { port } = new URL(first.url);
  for (const [other, message] of [
    [port, /^Port \d+ is already in use: .*--port/],
    ['0', /uses the store: .*--data/],
  ] as const) {
    const { code, stderr } = await runHere(folder, '--data', 'd', '--port', other);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  }
  first.cli.child.kill('SIGTERM');
  expect(await first.cli.finish()).toMatchObject({ code: 0 });

  const { url } = await startDevelopment(folder, '--data', 'd');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const minted = await runHere(folder, 'token', '--data', 'd', '--subject', 'me');
  for (const token of [first.token, minted.stdout.trim()]) {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers });
    expect(response.status, await response.text()).toBe(200);
  }
});
