import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { closeServer, listen } from './support/listen.ts';
import { run, runAgainst } from './support/run.ts';
import { startSoundServer } from './support/sound-server.ts';

test('a dead address: one sentence, in bounded time', async () => {
  const server = createServer();
  const url = await listen(server);
  await closeServer(server);
  const started = performance.now();
  const { code, lines } = await runAgainst(url);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^berth-conformance: The \w+( API)? at http.* cannot be reached: .*ECONN/,
  );
  expect(performance.now() - started).toBeLessThan(5000);
});

test('a server that speaks no TLS', async () => {
  await using server = await startSoundServer();
  const { code, lines } = await runAgainst(server.url.replace('http:', 'https:'));
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('cannot be reached');
});

test('a server that takes the connection and never answers', async () => {
  await using server = await startSoundServer(() => undefined);
  const started = performance.now();
  const { code, output } = await runAgainst(server.url, '--timeout', '300');
  expect(code).toBe(2);
  expect(output).toContain('gives no answer within 300 ms');
  expect(performance.now() - started).toBeLessThan(5000);
});

test('credentials that every call refuses', async () => {
  await using server = await startSoundServer((draft) => {
    const requestId = draft.headers['X-Request-Id'];
    const error = { code: 'NO', message: 'No.' };
    const body = draft.operation.startsWith('cloudrun-')
      ? { ...error, requestId }
      : { statusCode: 401, body: error };
    return {
      ...draft,
      status: 401,
      headers: { ...draft.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
  });
  const { code, lines } = await runAgainst(server.url);
  expect(code).toBe(2);
  expect(lines.at(-1)).toContain('refused the credentials of every call');
});

const URLS = ['--gateway-url', 'http://127.0.0.1:1', '--storage-url', 'http://127.0.0.1:1'];

test.each([
  [['--gateway-url', 'http://127.0.0.1:1'], '--storage-url'],
  [['--gateway-url', 'nonsense', '--storage-url', 'http://127.0.0.1:1'], 'gateway URL must be'],
  [['--gateway-url', 'http://a:b@c', '--storage-url', 'http://127.0.0.1:1'], 'no credentials'],
  [[...URLS, '--timeout', 'soon'], 'The timeout must be'],
  [[...URLS, '--timeout', '9999999999'], 'from 1 to 3600000'],
  [[...URLS, '--request-form', 'both'], 'The request form must be top or data'],
  [[...URLS, '--report', 'html=x'], '--report must be json=FILE'],
  [[...URLS, '--storage-header', 'nonsense'], "--storage-header must be 'Name: value'"],
  [[...URLS, '--no-such-option'], '--no-such-option'],
])('bad options %j', async (args, sentence) => {
  const { code, lines } = await run(...args);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(sentence);
});

test('--help and --version', async () => {
  expect(await run('--help')).toMatchObject({ code: 0 });
  const { code, output } = await run('--version');
  expect(code).toBe(0);
  expect(output).toMatch(/^berth-conformance \S+ \(contract: gateway 1\.\S+, storage 2\.\S+\)$/);
});
