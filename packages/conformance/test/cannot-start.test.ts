import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
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
    /^berth-conformance: --(gateway|storage)-url: the \w+( API)? at http.* cannot be reached: .*ECONN/,
  );
});

test.each([
  [
    'a --storage-url with a wrong path',
    (url: string) => ['--storage-url', `${url}/base`],
    /^SKIP {5}ST-META-CALL: the storage API responded with 4\d\d NO_OPERATION to every call; --storage-url probably has the wrong path/m,
  ],
  [
    'a --gateway-url with a wrong path',
    (_: string, gatewayUrl: string) => ['--gateway-url', `${gatewayUrl}/v2`],
    /^SKIP {5}GW-STATUS: the gateway responded with 400 NO_ROUTE to every call; it looks like --gateway-url has the wrong path/m,
  ],
  [
    'an --env that does not exist',
    () => ['--env', 'nowhere'],
    /^SKIP {5}ST-META-CALL: the storage API responded with 200 OTHER_ENV; it probably has no environment nowhere: see --env/m,
  ],
  [
    'a --gateway-host that does not exist',
    () => ['--gateway-host', 'nowhere.second.test'],
    /^SKIP {5}GW-STATUS: the gateway responded with 421 WRONG_HOST; it looks like the first label of --gateway-host is not an environment of the gateway/m,
  ],
  [
    'a token that is wrong',
    () => ['--gateway-token', 'wrong', '--tc3-secret-key', 'wrong'],
    /^SKIP {5}GW-STATUS: the gateway rejected all credentials provided \(400 BAD_TOKEN, 412 BAD_SIGNATURE\); see --gateway-token/m,
  ],
  [
    'a storage header that is wrong',
    () => ['--storage-header', 'X-Svc-Authorization: wrong'],
    /^SKIP {5}ST-META-CALL: the storage API rejected the credentials provided \(200 BAD_KEY\); see --storage-header/m,
  ],
])('%s is distinguished from rejected credentials, and fails nothing', async (_, toArgs, line) => {
  await using target = await startSecond();
  const { storageUrl, gatewayUrl } = target.options;
  const args = toArgs(storageUrl, gatewayUrl);
  const ids = 'GW-STATUS,ST-META-CALL,AU-NONE,AU-STORAGE-REJECTED';
  const { code, output } = await run(...target.args, ...args, '--only', ids);
  expect(output).toMatch(line);
  // The other API is still checked.
  expect(output).toMatch(/^pass/m);
  expect(output).not.toMatch(/^(fail|error)/m);
  expect(code).toBe(3);
});

const URLS = ['--gateway-url', 'http://127.0.0.1:1', '--storage-url', 'http://127.0.0.1:1'];

test.each([
  [
    [],
    '--gateway-url and --storage-url are missing. You can also set BERTH_GATEWAY_URL and BERTH_STORAGE_URL',
  ],
  [['--gateway-url', 'nonsense'], '--gateway-url must be an http or https URL.'],
  [['--no-such-option'], 'Unknown option --no-such-option'],
  [['--gateway-uri', 'x'], 'Unknown option --gateway-uri; did you mean --gateway-url?'],
  [[...URLS, '--timeout'], '--timeout needs a value.'],
  [[...URLS, '--timeout', 'soon'], '--timeout must be a whole number of milliseconds'],
  [[...URLS, '--seed', '4294967296'], '--seed must be a 32-bit integer.'],
  [[...URLS, '--request-form', 'both'], '--request-form must be top or data.'],
  [[...URLS, '--report', 'pdf=x'], '--report must be one of json=FILE, junit=FILE, html=FILE'],
  [[...URLS, '--report', 'json=/dev/null/x'], 'json=/dev/null/x cannot be written (ENOTDIR)'],
  [[...URLS, '--report', 'json=x,html=./x'], '--report names the same file twice.'],
  [[...URLS, '--storage-header', 'nonsense'], "--storage-header must be 'Name: value'"],
  [[...URLS, '--tc3-secret-id', 'x'], '--tc3-secret-id needs --tc3-secret-key.'],
  [[...URLS, '--only', 'GW-C4'], '--only: unknown rule GW-C4; did you mean GW-C'],
  [[...URLS, '--skip', 'dred'], '--skip: unknown rule dred; did you mean dredd?'],
  [[...URLS, '--ca', '/none.pem'], 'The --ca file cannot be read: /none.pem (ENOENT).'],
])('bad options %j', async (args, sentence) => {
  const { code, lines } = await run(...args);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(sentence);
});

test.each([
  ['--baseline', 'GW-C99\n', 'unknown rule GW-C99; did you mean GW-C'],
  ['--baseline', '[1]', 'must be a JSON list of IDs'],
  ['--ca', 'nothing', 'contains no PEM certificate'],
  ['--wire-profile', '{', 'is not a wire profile: it is not valid JSON.'],
  ['--wire-profile', '{"envelope":1}', 'is not a wire profile: envelope must be wrapped or flat.'],
])('a bad file of %s: %j', async (option, content, sentence) => {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'file.mjs');
  await writeFile(file, content);
  const { code, lines } = await run(...URLS, option, file);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(sentence);
  expect(lines[0]).toContain(file);
});

test('--help and --version print to stdout', async () => {
  expect(await run('--help')).toMatchObject({ code: 0 });
  const { code, output } = await run('--version');
  expect(code).toBe(0);
  expect(output).toMatch(/^berth-conformance \S+ \(contract: gateway 1\.\S+, storage 2\.\S+\)$/);
});
