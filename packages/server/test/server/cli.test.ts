import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';

import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import packageInfo from '../../package.json' with { type: 'json' };
import { run as runCommand } from '../../src/cli/run.ts';
import { Cli } from './support/cli.ts';
import { makeFolder } from './support/start-server.ts';

const KEY = 'k'.repeat(32);
const GOOD = `keys: [{ secret: ${KEY} }]\nenvironments: { dev: {}, qa: {} }\n`;

/** Runs a command in a separate process. */
async function run(args: string[], files: Record<string, string> = {}) {
  return new Cli(await makeFolder(files), args).finish();
}

/** Runs a command that starts nothing, in this process: much faster than another one. */
async function runHere(args: string[], files: Record<string, string> = {}) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += text;
      return true;
    });
  }
  const cwd = process.cwd();
  process.chdir(await makeFolder(files));
  try {
    await runCommand(['node', 'berth-server', ...args]);
    return { code: process.exitCode ?? 0, ...texts };
  } finally {
    process.exitCode = undefined;
    process.chdir(cwd);
    vi.restoreAllMocks();
  }
}

const PUBLIC =
  'is reachable from other machines, but this server uses development keys: use --config, or';

test.each([
  [['--port', 'x'], 'integer from 0 to 65535'],
  [['--admin-port', '65536'], 'integer from 0 to 65535'],
  [['--host', '0.0.0.0'], PUBLIC],
  [['--host', '::'], PUBLIC],
  [['--host', '192.0.2.1'], PUBLIC],
  [['--config', 'tls.yaml'], 'listen.tls.cert cannot be read: ENOENT: no such file or directory'],
  [['--config', 'pem.yaml'], 'listen.tls.cert must be the path of a PEM file with a certificate'],
  [['--log-level', 'loud'], 'Allowed choices are fatal'],
  [['--prot', '1'], 'Did you mean --port?'],
  [['extra'], "unknown command 'extra'\n"],
  [['tokn'], "unknown command 'tokn'; did you mean token?"],
  [['extra'], 'See berth-server --help for options and commands.'],
  [['--config', 'good.yaml', '--data', 'd'], "cannot be used with option '-c, --config <file>'"],
  [['--config', 'good.yaml', '--expose-development'], 'cannot be used with option'],
  [['--config', ''], 'It must not be empty'],
  [['--data', ''], 'It must not be empty'],
  [['--host', ''], 'It must not be empty'],
  [['token', '--seconds', '-1'], 'integer from 1'],
  [['check-config'], 'missing required argument'],
  [['--config', 'gone.yaml'], 'gone.yaml: cannot be read'],
  [['--config', 'bad.yaml'], 'bad.yaml:1:1: kees is not a setting: did you mean keys.'],
  [
    ['--data', 'half'],
    'half/development-keys.json does not contain the keys of a development server: remove it',
  ],
  [
    ['--data', 'empty'],
    'empty/development-keys.json does not contain the keys of a development server: remove it',
  ],
  [
    ['token', '--data', 'empty'],
    'empty/development-keys.json does not contain the keys of a development server',
  ],
  [['token'], 'is not the data folder of a development server'],
  [['token', '--key', 'bad.yaml'], 'it is not valid JSON'],
  [['token', '--key', '.'], 'Cannot read .: EISDIR'],
  [['token', '--key', 'null.json'], 'null.json must contain a private key as a JWK'],
  [['token', '--key', 'text.json'], 'text.json must contain a private key as a JWK'],
  [
    ['token', '--key', 'secret.json'],
    'Cannot mint a token with secret.json: The alg of the key must be one of',
  ],
  [['token', '--key', 'part.json'], 'Cannot mint a token with part.json: '],
  [['fsck', 'gone'], 'Cannot read gone as a store: it does not exist; pass the store.root folder.'],
  [['fsck', 'bad.yaml'], 'Cannot read bad.yaml as a store: it does not exist'],
])('%j is refused with exit 2', async (args, sentence) => {
  const { code, stdout, stderr } = await runHere(args, {
    'bad.yaml': `kees: []\n${GOOD}`,
    'good.yaml': GOOD,
    'pem.yaml': `listen: { tls: { cert: good.yaml, key: good.yaml } }\n${GOOD}`,
    'tls.yaml': `listen: { tls: { cert: gone.pem, key: gone.key } }\n${GOOD}`,
    'half/development-keys.json': '{',
    'empty/development-keys.json': '{}',
    'null.json': 'null',
    'text.json': '"text"',
    'secret.json': '{ "kty": "oct", "k": "a2V5", "alg": "HS256" }',
    'part.json': '{ "kty": "EC", "alg": "ES256" }',
  });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.each([
  [
    ['--port', '4555', '--admin-port', '4555'],
    'The port and the admin port are both 4555: choose another one with --port or --admin-port.',
  ],
  [
    ['--host', '192.0.2.1', '--expose-development', '--port', '0', '--admin-port', '0'],
    'is not an address of this machine',
  ],
  [
    ['--host', 'berth.invalid', '--expose-development', '--port', '0', '--admin-port', '0'],
    'berth.invalid is not an address of this machine',
  ],
])('a process with %j ends with exit 2', async (args, sentence) => {
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/\n\s+at /);
});

const testLinux = test.runIf(process.platform === 'linux');

testLinux.each([
  [
    ['--data', '/proc/berth/a'],
    'Cannot create the folder /proc/berth (ENOENT): choose another one with --data.',
  ],
  [
    ['--config', 'proc.yaml', '--port', '0', '--admin-port', '0'],
    'Check /proc/berth, or set store.root to another folder.',
  ],
])('%j is refused with exit 2 if the folder cannot be created', async (args, sentence) => {
  const { code, stdout, stderr } = await run(args, {
    'proc.yaml': `store: { driver: file, root: /proc/berth/files }\n${GOOD}`,
  });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
});

test.each(['--port', '--admin-port'])(
  'a %s in use is reported in one sentence, with exit code 2',
  async (option) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await run(['--port', '0', '--admin-port', '0', option, String(port)]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `Port ${port} is already in use: stop the other process, or choose another port with --port or --admin-port.\n`,
    );
  },
);

test('--version prints the versions of the package and the contract', async () => {
  const { code, stdout } = await run(['--version']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      `^${packageInfo.version} \\(gateway 1\\.\\d+\\.\\d+, storage 2\\.\\d+\\.\\d+, contract [\\da-f]{12}\\)\\n$`,
    ),
  );
});

test('--help shows options, commands, examples and exit codes', async () => {
  const { code, stdout } = await runHere(['--help']);
  expect(code).toBe(0);
  for (const word of [
    '--config',
    '--admin-port',
    'check-config',
    'fsck',
    'Examples:',
    'Exit codes:',
  ]) {
    expect(stdout).toContain(word);
  }
});

const NO_KEYS = `keys: [{ secret: ${KEY} }]
environments: { dev: { tokens: { jwks: { keys: [{ kty: oct }] } } } }
`;

test.each([
  ['', GOOD, 'berth.yaml is valid. Environments: dev, qa.\n'],
  ['x: 1\n', GOOD, 'berth.yaml:1:1: x is not a setting'],
  ['listen: { tls: { cert: a, key: b } }\n', GOOD, 'listen.tls.cert cannot be read'],
  ['', NO_KEYS, 'has no key for RS256'],
])('check-config checks %j and %j', async (before, rest, sentence) => {
  const files = { 'berth.yaml': before + rest };
  const { code, stdout, stderr } = await runHere(['check-config', 'berth.yaml'], files);
  const isValid = sentence.includes('is valid');
  expect(code).toBe(isValid ? 0 : 1);
  expect([stdout, stderr]).toEqual(
    isValid ? [sentence, ''] : ['', expect.stringContaining(sentence)],
  );
});

test('fsck finds damaged files', async () => {
  const folder = await makeFolder({
    [`d/files/files/dev/00/${'0'.repeat(64)}`]: 'no trailer',
    'd/files/files/dev/x': '',
  });
  await writeFile(join(folder, 'd/other'), '');
  const { code, stdout, stderr } = await new Cli(folder, ['fsck', '--data', 'd']).finish();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^damaged: [\s\S]*foreign: |^foreign: [\s\S]*damaged: /);
  expect(stderr).toContain('run again with --repair');
});

test('a log that nobody reads blocks nothing, and dropped lines are reported', async () => {
  const folder = await makeFolder({
    'berth.yaml': `listen: { port: 0 }\nadmin: { port: 0 }\nlog: { calls: true }\n${GOOD}`,
  });
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  const { url, adminUrl } = await cli.listening();
  cli.child.stdout?.pause();
  for (let at = 0; at < 60; at += 1) {
    const calls = Array.from({ length: 8 }, async () => {
      const response = await fetch(`${url}/files/${'x'.repeat(8000)}`);
      await response.text();
    });
    await Promise.all(calls);
  }
  expect((await fetch(`${adminUrl}/healthz`)).status).toBe(200);
  cli.child.stdout?.resume();
  expect(Number((await cli.line('dropped log lines')).dropped)).toBeGreaterThan(100);
  cli.child.kill('SIGTERM');
  expect(await cli.finish()).toMatchObject({ code: 0, stderr: '' });
  expect(cli.lines.at(-1)?.msg).toBe('ended');
});
