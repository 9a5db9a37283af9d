import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { testOn } from '../../../../scripts/testing/engines.ts';
import { Cli } from './support/cli.ts';
import { makeFolder } from './support/start-server.ts';

const run = promisify(execFile);

const CLI = join(import.meta.dirname, '../../src/cli.ts');

/** What `npx @berth/client` runs if the package is installed. */
const CLIENT = join(import.meta.dirname, '../../../client/src/cli.ts');
const NPX = `npx() { shift; '${process.execPath}' --conditions=berth-source '${CLIENT}' "$@"; }`;

const FREE = ['--port', '0', '--admin-port', '0'];

async function start(folder: string, ...args: string[]): Promise<Cli> {
  const cli = new Cli(folder, [...FREE, ...args]);
  await cli.until(() => cli.stderr.endsWith('\nready\n'));
  return cli;
}

function scriptOf({ stderr }: Cli): string {
  return stderr.slice(stderr.indexOf('\ntoken=') + 1, stderr.indexOf('\nready'));
}

const printed = ({ stderr }: Cli, name: string) =>
  new RegExp(`^${name} +(\\S+)`, 'm').exec(stderr)?.[1];

testOn('curl')('a server without a configuration prints calls that work, twice', async () => {
  const cwd = await makeFolder();
  const cli = await start(cwd);
  expect(cli.stderr).toMatch(/^\*\*\* FOR DEVELOPMENT ONLY/);
  for (const _ of [1, 2]) {
    const { stdout, stderr } = await run('sh', ['-eu', '-c', `${NPX}\n${scriptOf(cli)}`], { cwd });
    expect(stderr).toBe('');
    expect(stdout.match(/^\{"message":"Hello from the hosted service\."\}$/gm)).toHaveLength(2);
    expect(stdout).toContain('\nHello from the hosted service.\n');
    expect(stdout.match(/^data: /gm)).toHaveLength(2);
    expect(stdout).toContain('cloud://dev.files/hello.txt\nHello from Berth.\nHello from Berth.\n');
    expect(stdout).toContain('cloud://dev.files/copy-of-hello.txt\n');
  }
  const audit = cli.lines
    .filter((line) => line.audit)
    .map(({ action, path }) => `${action} ${path}`);
  expect(audit.slice(0, 2)).toEqual(['upload hello.txt', 'copy copy-of-hello.txt']);
  // One batch: in any order.
  expect(audit.slice(2, 4).toSorted()).toEqual(['delete copy-of-hello.txt', 'delete hello.txt']);
});

test('it prints its log after the text', async () => {
  const both = ['exec "$@" 2>&1', 'sh', process.execPath, '--conditions=berth-source', CLI];
  const child = spawn('sh', ['-c', ...both, ...FREE], { cwd: await makeFolder() });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text;
    if (printed.includes('"listening"')) break;
  }
  expect(printed).toMatch(/^\*\*\* FOR DEVELOPMENT ONLY.*\nready\n\{"/s);
});

test('it can be made public with an option, and its demo service echoes over a WebSocket', async () => {
  const cli = await start(await makeFolder(), '--host', '0.0.0.0', '--expose-development');
  expect((await cli.listening()).url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const url = printed(cli, 'Gateway')?.replace('http', 'ws') as string;
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${printed(cli, 'Token')}` },
  });
  expect(String((await once(socket, 'message'))[0])).toBe('Hello from the hosted service.');
  socket.send('over and back');
  const [data] = await once(socket, 'message');
  expect(String(data)).toBe('over and back');
  socket.terminate();
});

test('its keys are only readable by the owner, and are reused by the next start', async () => {
  const folder = await makeFolder();
  const first = await start(folder, '--data', 'd');
  const { mode } = await stat(join(folder, 'd/development-keys.json'));
  expect(mode & 0o777).toBe(0o600);
  first.child.kill('SIGTERM');
  expect(await first.finish()).toMatchObject({ code: 0 });
  const second = await start(folder, '--data', 'd');
  const authorization = `Bearer ${printed(first, 'Token')}`;
  const response = await fetch(printed(second, 'Gateway') as string, {
    headers: { authorization },
  });
  expect(response.status).toBe(200);
  const minted = await new Cli(folder, ['token', '--data', 'd', '--subject', 'me']).finish();
  expect(minted).toMatchObject({ code: 0, stderr: '' });
  const other = await fetch(printed(second, 'Gateway') as string, {
    headers: { authorization: `Bearer ${minted.stdout.trim()}` },
  });
  expect(other.status).toBe(200);
});
