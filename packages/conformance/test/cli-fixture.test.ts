import { expect, test } from 'vitest';
import { run, runWithin } from './support/run.ts';

test('the fixture service runs until it is told to end', async () => {
  const ends = new AbortController();
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const running = runWithin({ signal: ends.signal, onLine: resolve }, 'fixture', '--port', '0');
  const [url = ''] = /http:\S+/.exec(await listening) ?? [];
  expect(await (await fetch(`${url}/a`)).json()).toMatchObject({ fixture: 'berth-conformance' });
  ends.abort();
  expect((await running).code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test.each([
  [['--port', 'http'], '--port must be a whole number from 0 to 65535.'],
  [['--prt', '1'], 'There is no option --prt; did you mean --port?'],
  [['--host', '192.0.2.1', '--port', '0'], 'The fixture service cannot listen: '],
])('fixture %j', async (args, sentence) => {
  const { code, lines } = await run('fixture', ...args);
  expect(code).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(sentence);
});
