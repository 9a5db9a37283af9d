import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
import { type ConformanceOptions, createConformance } from '../src/index.ts';
import { run, runAgainst } from './support/run.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startSecond } from './targets/start-second.ts';

test('a dead address is reported in one sentence', async () => {
  const { url, close } = await listen(createServer());
  await close();
  const { code, lines } = await runAgainst(url);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^error: the (gateway|storage API) at http.* cannot be reached: .*ECONN/,
  );
});

test.each([
  [
    ['--storage-url', 'http://127.0.0.1/base'],
    /the storage API (responds to|rejects) every call .*4\d\d NO_OPERATION\)?; see --storage-url/,
  ],
  [
    ['--gateway-host', 'nowhere.second.test'],
    /the gateway rejects every call \(421 WRONG_HOST\); see --gateway-url, --gateway-host/,
  ],
  [
    ['--gateway-token', 'wrong', '--tc3-secret-key', 'wrong'],
    /the gateway rejects every call \(400 BAD_TOKEN, 412 BAD_SIGNATURE\); see .*--gateway-token/,
  ],
])('a wrong value is explained from the responses, and fails nothing: %j', async (args, reason) => {
  await using target = await startSecond();
  const actual = args.map((arg) => arg.replace('http://127.0.0.1', target.options.storageUrl));
  const ids = 'GW-STATUS,ST-META-CALL,AU-NONE,AU-STORAGE-REJECTED';
  const { code, output } = await run(...target.args, ...actual, '--only', ids);
  const [, skipped] = /^ {2}\d+ skip: (.*)$/m.exec(output) ?? [];
  expect(skipped).toMatch(reason);
  // The other API is still checked.
  expect(output).toMatch(/^pass {6}[1-9]/m);
  expect(output).not.toMatch(/^fail|\d error/m);
  expect(output).toMatch(/^cannot say/m);
  expect(code).toBe(2);
});

const URLS = ['--gateway-url', 'http://127.0.0.1:1', '--storage-url', 'http://127.0.0.1:1'];

test.each([
  [[], '--gateway-url and --storage-url are missing. You can also set BERTH_GATEWAY_URL'],
  [['--gateway-url', 'nonsense'], '--gateway-url must be an http or https URL'],
  [['--gateway-uri', 'x'], "unknown option '--gateway-uri'\n(Did you mean --gateway-url?)"],
  [['fixtur'], 'Some arguments belong to no option: quote values that contain spaces.'],
  [[...URLS, '--timeout'], "option '--timeout <ms>' argument missing"],
  [[...URLS, '--timeout', 'soon'], '--timeout must be an integer from 1 to 3600000.'],
  [[...URLS, '--request-form', 'both'], '--request-form must be top or data.'],
  [[...URLS, '--report', 'pdf=x'], '--report must be html=FILE, junit=FILE, json=FILE.'],
  [[...URLS, '--storage-header', 'nonsense'], "--storage-header must be 'Name: value'"],
  [[...URLS, '--tc3-secret-id', 'x'], '--tc3-secret-id and --tc3-secret-key need each other.'],
  [[...URLS, '--only', 'GW-C4'], '--only contains GW-C4, but no ID begins with that; see --list.'],
  [[...URLS, '--skip', 'dredt'], '--skip contains dredt, but no ID begins with that; see --list.'],
  [[...URLS, '--ca', '/none.pem'], '--ca /none.pem cannot be read (ENOENT).'],
])('bad options %j', async (args, sentence) => {
  const { code, lines } = await run(...args);
  expect([code, lines]).toEqual([2, [expect.stringContaining(`error: ${sentence}`)]]);
});

test.each([
  ['--known', 'GW-C99', 'contains GW-C99, which is not a valid ID; see --list.'],
  ['--known', '\uFEFF# c\n\r\ncopy-fil', 'contains copy-fil, which is not a valid ID; see --list.'],
  ['--known', 'GW-C1 until spring', 'known: GW-C1 must expire on a date such as 2027-03-31.'],
  ['--ca', 'nothing', 'contains no PEM certificate'],
  ['--wire-profile', '{', 'is not a wire profile: it is not valid JSON.'],
  ['--wire-profile', '{"envelope":1}', 'is not a wire profile: envelope must be wrapped or flat.'],
])('a bad file of %s: %j', async (option, content, sentence) => {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'file.txt');
  await writeFile(file, content);
  const { code, lines } = await run(...URLS, option, file);
  expect([code, lines]).toEqual([2, [expect.stringContaining(sentence)]]);
});

test.each<[Partial<ConformanceOptions>, string]>([
  [{ concurrency: 0 }, 'concurrency must be an integer from 1 to 64.'],
  [{ sequences: 0 }, 'sequences must be an integer from 1 to 100000.'],
  [{ timeout: Number.NaN }, 'timeout must be an integer from 1 to 3600000.'],
  [{ minLinkSeconds: 0.5 }, 'minLinkSeconds must be an integer from 1 to 100.'],
])('the option %j of a program', (options, sentence) => {
  expect(() => createConformance({ gatewayUrl: 'http://127.0.0.1:1', ...options })).toThrow(
    sentence,
  );
});

test('--help and --version print to stdout', async () => {
  expect(await run('--help')).toMatchObject({ code: 0 });
  const { code, output } = await run('--version');
  expect(code).toBe(0);
  expect(output).toMatch(/^berth-conformance \S+ \(contract: gateway 1\.\S+, storage 2\.\S+\)$/);
});
