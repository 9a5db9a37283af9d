import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { run, runWithin } from './support/run.ts';

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
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  for (const [args, sentence] of [
    [['--port', String(port)], `address already in use 127.0.0.1:${port}`],
    [['--port', 'http'], '--port must be an integer from 0 to 65535.'],
    [['--host', '192.0.2.1', '--port', '0'], 'address not available 192.0.2.1'],
  ] as const) {
    const { code, lines } = await run('fixture', ...args);
    expect([code, lines]).toEqual([2, [expect.stringContaining(sentence)]]);
  }
});
