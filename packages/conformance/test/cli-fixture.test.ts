import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
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
  await using other = await listen(createServer());
  const { port } = new URL(other.url);
  for (const [value, sentence] of [
    [port, `address already in use 127.0.0.1:${port}`],
    ['http', '--port must be an integer from 0 to 65535.'],
  ] as const) {
    const { code, lines } = await run('fixture', '--port', value);
    expect([code, lines]).toEqual([2, [expect.stringContaining(sentence)]]);
  }
});
