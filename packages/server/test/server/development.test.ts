import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { testOn } from '../../../../scripts/testing/engines.ts';
import { Cli, runHere } from './support/cli.ts';
import { makeFolder } from './support/start-server.ts';

const run = promisify(execFile);

/** What `npx @berth/client` runs if the package is installed. */
const CLIENT = join(import.meta.dirname, '../../../client/src/cli.ts');
const NPX = `npx() { shift; '${process.execPath}' --conditions=berth-source '${CLIENT}' "$@"; }`;

async function start(folder: string, ...args: string[]): Promise<Cli> {
  const cli = new Cli(folder, ['--port', '0', '--admin-port', '0', ...args]);
  await cli.until(() => cli.stderr.endsWith('\nready\n'));
  return cli;
}

const printed = ({ stderr }: Cli, name: string) =>
  new RegExp(`^${name} +(\\S+)`, 'm').exec(stderr)?.[1] as string;

testOn('curl')('a server without a configuration prints calls that work', async () => {
  const cwd = await makeFolder();
  const cli = await start(cwd);
  expect(cli.stderr).toMatch(/^\*\*\* FOR DEVELOPMENT ONLY/);
  const script = cli.stderr.slice(
    cli.stderr.indexOf('\ntoken=') + 1,
    cli.stderr.indexOf('\nready'),
  );
  const { stdout, stderr } = await run('sh', ['-eu', '-c', `${NPX}\n${script}`], { cwd });
  expect(stderr).toBe('');
  expect(stdout.match(/^\{"message":"Hello from the hosted service."\}$/gm)).toHaveLength(2);
  expect(stdout).toContain('\nHello from the hosted service.\n');
  expect(stdout.match(/^data: /gm)).toHaveLength(2);
  expect(stdout).toContain('cloud://dev.files/hello.txt\nHello from Berth.\nHello from Berth.\n');
  const audit = cli.lines.flatMap(({ audit, action, path }) =>
    audit ? [`${action} ${path}`] : [],
  );
  const moved = ['copy moved.txt', 'delete hello.txt'];
  expect(audit).toEqual(['upload hello.txt', ...moved, 'delete moved.txt']);
});

test('its keys are only readable by the owner, and are reused by the next start', async () => {
  const folder = await makeFolder();
  const first = await start(folder, '--data', 'd');
  const { mode } = await stat(join(folder, 'd/development-keys.json'));
  expect(mode & 0o777).toBe(0o600);
  first.child.kill('SIGTERM');
  expect(await first.finish()).toMatchObject({ code: 0 });

  const open = ['--host', '0.0.0.0', '--expose-development'];
  const second = await start(folder, '--data', 'd', ...open);
  const url = printed(second, 'Gateway');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const minted = await runHere(folder, 'token', '--data', 'd', '--subject', 'me');
  for (const token of [printed(first, 'Token'), minted.stdout.trim()]) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
  }
  const headers = { authorization: `Bearer ${printed(first, 'Token')}` };
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  expect(String((await once(socket, 'message'))[0])).toBe('Hello from the hosted service.');
  socket.terminate();
});
