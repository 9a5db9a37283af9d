import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
import { PROTOCOL } from '../fixture/server.mjs';
import { run, runAgainst, runWithin } from './run-suite.ts';
import { startFronted, startSecond } from './targets/start-second.ts';

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
  const [, skipped] = /^\d+ rules skipped: (.*)$/m.exec(output) ?? [];
  expect(skipped).toMatch(reason);
  // The other API is still checked.
  expect(output).toMatch(/^[1-9]\d* of \d+ rules passed$/m);
  expect(output).not.toMatch(/^fail|with an error/m);
  expect(output).toMatch(/^inconclusive: /m);
  expect(code).toBe(2);
});

test('a fixture service with another protocol is named, and fails nothing', async () => {
  await using target = await startFronted({
    response(response) {
      const { json } = response;
      if (json?.fixture) response.json = { ...json, protocol: 0 };
    },
  });
  const { code, output } = await run(...target.args, '--only', 'GW-QUERY-RAW,AU-NONE');
  expect(output).toMatch(/\d+ rules? skipped: the fixture service /);
  expect(output).toContain(`has protocol 0, not ${PROTOCOL}; deploy `);
  expect(output).not.toMatch(/^fail/m);
  expect(code).toBe(2);
});

test('the fixture service runs until it is aborted', async () => {
  const ends = new AbortController();
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const running = runWithin({ signal: ends.signal, onLine: resolve }, 'fixture', '--port', '0');
  const [url = ''] = /http:\S+/.exec(await listening) ?? [];
  expect(await (await fetch(`${url}/a`)).json()).toMatchObject({ fixture: 'berth-conformance' });
  ends.abort();
  expect((await running).code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test('what prevents the fixture service from listening is reported in one sentence', async () => {
  await using other = await listen(createServer());
  const { port } = new URL(other.url);
  const inUse = `Port ${port} is already in use: stop the other program, or choose another port with --port.`;
  for (const [value, sentence] of [
    [port, inUse],
    ['http', '--port must be an integer from 0 to 65535.'],
  ] as const) {
    const { code, lines } = await run('fixture', '--port', value);
    expect([code, lines]).toEqual([2, [expect.stringContaining(sentence)]]);
  }
});
