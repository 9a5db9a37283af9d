import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@berth/runtimes/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageInfo from '../package.json' with { type: 'json' };
import { listOperations } from '../src/contract/contract.ts';
import { documents } from '../src/contract/documents.ts';
import { createMock } from '../src/index.ts';
import { gateway } from './helpers/calls.ts';
import { finish, spawnCli, spawnCliWith, untilReady } from './helpers/cli.ts';
import { expectInContract } from './helpers/contract.ts';

const run = promisify(execFile);

describe('a running mock', () => {
  const child = spawnCli('--port', '0', '--env', 'shop');
  let printed = '';
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  beforeAll(async () => {
    printed = await untilReady(child);
  });
  afterAll(() => child.kill('SIGKILL'));

  test('prints its addresses', () => {
    expect(printed).toMatch(/Gateway +http:\/\/127\.0\.0\.1:\d+\/v1\/cloudrun\//);
    expect(printed).toMatch(/Storage API +http:\/\/127\.0\.0\.1:\d+\/api\/v2\/envs\/shop\n/);
    expect(printed).toMatch(/Upload target +http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(printed).toMatch(/Inspector +http:\/\/127\.0\.0\.1:\d+\/__mock\n/);
  });

  test('prints one curl for each operation, and all of them succeed in order, twice', async () => {
    const curls = listCurls(printed);
    const ids = listOperations(documents).map(({ id }) => id);
    expect(curls.map(([id]) => id).sort()).toEqual(ids.sort());
    for (const [id, command] of [...curls, ...curls]) {
      const { stdout, stderr } = await run('sh', ['-c', command]);
      expect(stderr).toBe('');
      if (id === 'uploadFile') expect(stdout).toMatch(/^HTTP\/1.1 204 /);
      else expectSuccess(command, JSON.parse(stdout));
    }
  });

  test('nothing is written to stderr, also not by Prism', () => {
    expect(errors).toBe('');
  });

  test('the pasted lines run as one script', async () => {
    const script = printed.slice(printed.indexOf('# cloudrun'), printed.indexOf('\nready'));
    const { stdout, stderr } = await run('sh', ['-ec', script]);
    expect(stderr).toBe('');
    expect(stdout.match(/"statusCode":200/g)).toHaveLength(4);
    expect(stdout).toContain('"fileID":"cloud://shop.files/copy-of-hello.txt","code":"SUCCESS"');
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with 0', async (signal) => {
  const child = spawnCli('--port', '0');
  await untilReady(child);
  child.kill(signal);
  expect(await finish(child)).toMatchObject({ code: 0, stderr: '' });
});

test('a port in use is one sentence and exit 2', async () => {
  await using mock = await createMock();
  expect(await finish(spawnCli('--port', String(mock.port)))).toEqual({
    code: 2,
    stdout: '',
    stderr: `Port ${mock.port} is in use: stop what holds it, or choose another one with --port.\n`,
  });
});

test.each([
  [['--port', 'x'], 'whole number from 0 to 65535'],
  [['--port', '65536'], 'whole number from 0 to 65535'],
  [['--host', ''], 'address of this machine'],
  [['--env', 'a.b'], 'one label of a host name'],
  [['--prot', '1'], 'Did you mean --port?'],
  [['--mode', 'x'], 'Allowed choices are auto, static, dynamic'],
  [['--auth', 'x'], 'Allowed choices are off, present, strict'],
  [['--wait', 'x'], 'It must be an address'],
  [['--timeout', '0'], 'number of seconds above 0'],
  [['--timeout', '5'], '--timeout needs --wait'],
  [['--origins', 'app.example.com'], 'origins must be such as https://app.example.com'],
  [['--max-sessions', '0'], 'whole number of at least 1'],
  [['extra'], 'too many arguments'],
])('%j is refused with exit 2', async (args, sentence) => {
  const { code, stdout, stderr } = await finish(spawnCli(...args));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
});

test('a host that is none of this machine is one sentence and exit 2', async () => {
  const { code, stderr } = await finish(spawnCli('--host', '192.0.2.1', '--port', '0'));
  expect(code).toBe(2);
  expect(stderr).toMatch(/^192\.0\.2\.1 is no address of this machine: .*\n$/);
});

test('--origins and --max-sessions are those of the options', async () => {
  const own = 'https://app.example.com';
  const args = ['--port', '0', '--origins', own, 'https://b.example.com', '--max-sessions', '1'];
  const child = spawnCli(...args);
  try {
    const url = /Inspector +(http:\/\/[^/]+)/.exec(await untilReady(child))?.[1] ?? '';
    const ask = (headers: Record<string, string>) =>
      gateway({ url }, { path: '/v1/cloudrun/hello', headers });
    for (const origin of [own, 'https://b.example.com']) {
      const { headers } = await ask({ origin });
      expect(headers['access-control-allow-origin']).toBe(origin);
    }
    const foreign = await ask({ origin: 'https://c.example.com' });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    for (const session of ['a', 'b']) await ask({ 'x-mock-session': session });
    const kept = await fetch(`${url}/__mock/api/requests?session=a`);
    expect(await kept.json()).toEqual({ requests: [] });
  } finally {
    child.kill('SIGKILL');
  }
});

test('what a start has compiled is kept for the next one, where Node keeps such things', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mock-'));
  try {
    const env = { TMPDIR: folder, TEMP: folder, NODE_COMPILE_CACHE: '' };
    await finish(spawnCliWith(env, '--version'));
    expect(await readdir(folder)).toEqual(['node-compile-cache']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('--version and --help print and end with 0', async () => {
  const version = await finish(spawnCli('--version'));
  expect(version).toEqual({ code: 0, stdout: `${packageInfo.version}\n`, stderr: '' });
  const help = await finish(spawnCli('--help'));
  expect(help.code).toBe(0);
  for (const option of ['--port', '--host', '--env', '4010']) expect(help.stdout).toContain(option);
});

describe('--wait', () => {
  test('ends with 0 when a mock is ready', async () => {
    await using mock = await createMock();
    expect(await finish(spawnCli('--wait', mock.url))).toMatchObject({
      code: 0,
      stdout: `The mock at ${mock.url} is ready.\n`,
    });
  });

  test('waits for one that starts later, also behind a certificate of its own', async () => {
    const port = await freePort();
    const waiting = finish(spawnCli('--wait', `https://localhost:${port}`));
    const mock = spawnCli('--port', String(port), '--tls');
    try {
      expect(await waiting).toMatchObject({ code: 0, stderr: '' });
    } finally {
      mock.kill('SIGKILL');
    }
  });

  test('ends with 1 and a sentence after its time', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await finish(spawnCli('--wait', url, '--timeout', '0.2'))).toEqual({
      code: 1,
      stdout: '',
      stderr: `No mock answered at ${url} within 0.2 s.\n`,
    });
  });

  test('another server is no mock', async () => {
    const other = createServer((_, response) => response.writeHead(404).end()).listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const { code } = await finish(spawnCli('--wait', url, '--timeout', '0.3'));
    other.close();
    expect(code).toBe(1);
  });
});

test('with --tls and --auth strict the printed lines succeed, by the printed credentials', async () => {
  const child = spawnCli('--port', '0', '--tls', '--auth', 'strict');
  const printed = await untilReady(child);
  try {
    const token = /^Access token +(\S+)$/m.exec(printed)?.[1];
    expect(printed).toMatch(/^Key pair +\S+ \S+$/m);
    const curls = listCurls(printed);
    expect(curls[0]?.[1]).toContain(`Bearer ${token}`);
    for (const [id, command] of curls) {
      const { stdout, stderr } = await run('sh', ['-c', command]);
      expect(stderr).toBe('');
      if (id === 'uploadFile') expect(stdout).toMatch(/^HTTP\/1.1 204 /);
      else expectSuccess(command, JSON.parse(stdout));
    }
  } finally {
    child.kill('SIGKILL');
  }
});

function listCurls(printed: string): [string, string][] {
  const blocks = printed.matchAll(/^# (\S+)\n(curl .*?[^\\])\n\n/gms);
  return [...blocks].map(([, id, command]) => [id as string, command as string]);
}

function expectSuccess(command: string, body: { statusCode?: number; body?: object }) {
  const path = /127\.0\.0\.1:\d+([^'?]*)/.exec(command)?.[1] ?? '';
  expectInContract(command.includes(" -d '") ? 'POST' : 'GET', path, 200, body);
  if (path.startsWith('/api')) {
    expect(body).toMatchObject({ statusCode: 200, body: { data: expect.any(Object) } });
    expect(JSON.stringify(body)).not.toContain('NONEXIST');
  }
}
