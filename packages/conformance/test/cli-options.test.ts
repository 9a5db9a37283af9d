import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConformanceOptions, createConformance } from '../src/index.ts';
import { readOptions } from '../src/read-options.ts';
import { run, runWithin } from './run-suite.ts';

test('variables turn flags off, separate lists by commas where that is possible, and set nothing if empty', () => {
  const env = {
    BERTH_GATEWAY_HOST: 'a.example',
    BERTH_TIMEOUT: '0.3',
    BERTH_STORAGE_HEADER: 'A: 1\n B: 2\n',
    BERTH_READ_ONLY: 'false',
    BERTH_ONLY: 'GW, ST',
    BERTH_REPORT: 'json=a,b.json,html=c',
    BERTH_ENV: '',
  };
  const { options, report } = readOptions(env);
  expect(options).toEqual({
    gatewayHost: 'a.example',
    timeout: 0.3,
    storageHeaders: { A: '1', B: '2' },
    readOnly: false,
    only: ['GW', 'ST'],
  });
  expect(report).toEqual([
    { kind: 'json', file: 'a,b.json' },
    { kind: 'html', file: 'c' },
  ]);
});

test('the command line overrides a variable, and a list can be repeated', async () => {
  const args = ['--list', '--only', 'GW-C1', '--only', 'GW-C3'];
  const { lines } = await runWithin({ env: { BERTH_ONLY: 'ST-' } }, ...args);
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(
    expect.arrayContaining(['GW-C1', 'GW-C3', '2']),
  );
});

const URLS = ['--gateway-url', 'http://127.0.0.1:1', '--storage-url', 'http://127.0.0.1:1'];

test.each<[args: string[], sentence: string, env?: Record<string, string>]>([
  [[], 'Set --gateway-url, --storage-url, or both.'],
  [['--gateway-url', 'nonsense'], '--gateway-url must be an http or https URL'],
  [['--gateway-url', 'http://a/?#'], '--gateway-url must be an http or https URL without'],
  [['--gateway-url', 'x'], '--gateway-url must be an http', { BERTH_GATEWAY_URL: 'http://a' }],
  [['--gateway-uri', 'x'], "unknown option '--gateway-uri'\n(Did you mean --gateway-url?)"],
  [['fixtur'], 'Unknown command, or a value with spaces that is not quoted. Did you mean fixture?'],
  [[...URLS, '--gateway-host', ''], '--gateway-host must not be empty.'],
  [[...URLS, '--timeout'], "option '--timeout <seconds>' argument missing"],
  [[...URLS, '--timeout', 'soon'], '--timeout must be a number from 0.001 to 3600.'],
  [[...URLS, '--request-form', 'both'], '--request-form must be top or data.'],
  [
    [...URLS, '--report', 'pdf=x'],
    '--report must be one of html=FILE, junit=FILE, json=FILE; text is always printed.',
  ],
  [[...URLS, '--storage-header', 'nonsense'], "--storage-header must be 'Name: value'"],
  [[...URLS, '--tc3-secret-id', 'x'], '--tc3-secret-id and --tc3-secret-key must be set together.'],
  [[...URLS, '--only', 'GW-C4'], '--only contains GW-C4, but no ID begins with that; see --list.'],
  [['--list', '--only', 'GW-C4'], '--only contains GW-C4, but no ID begins with that; see --list.'],
  [[...URLS, '--only', ''], '--only must not be empty.'],
  [[...URLS, '--only', ','], '--only must not be empty.'],
  [[...URLS, '--ca', '/none.pem'], '--ca /none.pem does not exist; check the path.\nSee berth-'],
  [[...URLS, '--known', 'none'], '--known none does not exist; check the path.\nSee berth-conf'],
  [[...URLS, '--known', '/'], '--known / is a folder; name a file.\nSee berth-conformance --help'],
  [URLS, 'BERTH_WIRE_PROFILE no.json does not exist; ', { BERTH_WIRE_PROFILE: 'no.json' }],
  [
    ['fixture', '--prt'],
    "unknown option '--prt'\n(Did you mean --port?)\nSee berth-conformance fix",
  ],
  [['fixture', '9090'], "too many arguments for 'fixture'"],
  [[], 'BERTH_GATEWAY_URL must be an http or https URL', { BERTH_GATEWAY_URL: 'ftp://a' }],
  [URLS, 'BERTH_BUDGET must be an integer from 1 to 86400.', { BERTH_BUDGET: 'long' }],
  [URLS, 'BERTH_READ_ONLY must be true or false.', { BERTH_READ_ONLY: 'yes' }],
  [URLS, 'BERTH_STORAGE_HEADER must not repeat a name', { BERTH_STORAGE_HEADER: 'A: 1\na: 2' }],
])('an invalid option is named as it was set: %j', async (args, sentence, env = {}) => {
  const { code, lines } = await runWithin({ env }, ...args);
  expect([code, lines]).toEqual([2, [expect.stringContaining(`error: ${sentence}`)]]);
  expect(lines[0]).toMatch(/\nSee berth-conformance( fixture)? --help for the options\.$/);
});

test.each([
  ['--known', 'GW-C99', 'contains GW-C99, which is not a valid ID; see --list.'],
  ['--known', '\uFEFF# c\n\r\ncopy-fil', 'contains copy-fil, which is not a valid ID; see --list.'],
  ['--known', 'GW-C1 until spring', '--known contains spring, which is not a date such as'],
  ['--ca', 'nothing', 'contains no PEM certificate'],
  ['--wire-profile', '{', 'is not a wire profile: it is not valid JSON.'],
  ['--wire-profile', '{"envelope":1}', 'is not a wire profile: envelope must be wrapped or flat.'],
])('a bad file of %s: %j', async (option, content, sentence) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-conformance-'));
  const file = join(folder.path, 'file.txt');
  await writeFile(file, content);
  const { code, lines } = await run(...URLS, option, file);
  expect([code, lines]).toEqual([2, [expect.stringContaining(sentence)]]);
});

test.each<[object, string]>([
  [{ concurrency: 0 }, 'concurrency must be an integer from 1 to 64.'],
  [{ timeout: Number.NaN }, 'timeout must be a number from 0.001 to 3600.'],
  [{ minLinkSeconds: 61 }, 'minLinkSeconds must be an integer from 1 to 60.'],
  [{ gatewayToken: 'abc\n' }, 'gatewayToken must be a valid header value.'],
  [{ gatewayHost: 'a b' }, 'gatewayHost must be a host.'],
  [{ service: 'my svc' }, 'service must be a segment of a URL path.'],
  [{ storageHeaders: { 'bad name': 'x' } }, 'storageHeaders must have valid names and values.'],
  [{ wireProfile: { envelope: 1 } }, 'wireProfile envelope must be wrapped or flat.'],
  [{ only: [] }, 'only must not be empty.'],
  [{ only: 'GW-C1' }, 'only must be an array of IDs.'],
  [{ only: [1] }, 'only must be an array of IDs.'],
  [{ readOnly: 'yes' }, 'readOnly must be true or false.'],
  [{ storageHeaders: { A: 1 } }, 'storageHeaders must have valid names and values.'],
  [{ known: 'GW-C1' }, 'known must be an array of { id, reason, until, flaky }.'],
  [{ known: [{ id: 'GW-C1', expires: 1 }] }, 'known must be an array of { id, reason, until, fl'],
  [{ wireProfile: 'acme' }, 'wireProfile must be'],
  [{ known: [{ id: 'GW-C2/9' }] }, 'known contains GW-C2/9, which is not a valid ID; see --list.'],
  [{ timeuot: 1 }, 'Unrecognized key: "timeuot".'],
])('the option %j of a program', (options, sentence) => {
  const all: ConformanceOptions = { gatewayUrl: 'http://127.0.0.1:1', ...options };
  expect(() => createConformance(all)).toThrow(sentence);
});

test('--help and --version print to stdout', async () => {
  expect(await run('--help')).toMatchObject({ code: 0 });
  const help = await runWithin({ env: { npm_lifecycle_event: 'npx' } }, '--help');
  expect(help.output).toMatch(/^Usage: npx berth-conformance --gateway-url/);
  const { code, output } = await run('--version');
  expect(code).toBe(0);
  expect(output).toMatch(/^\d+\.\d+\.\d+$/);
});
