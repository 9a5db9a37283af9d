import { expect, test } from 'vitest';
import { runAgainst } from './support/run.ts';
import { startSoundServer } from './support/sound-server.ts';

test('one operation that hangs is an error, and the others are checked', async () => {
  await using server = await startSoundServer((draft) =>
    draft.operation === 'batchDelete' ? undefined : draft,
  );
  const { code, lines } = await runAgainst(server.url, '--timeout', '1000');
  expect(code).toBe(4);
  expect(lines.filter((line) => line.startsWith('error'))).toEqual([
    'error storage batchDelete 200 application/json: ESOCKETTIMEDOUT',
    'error storage batchDelete 4XX application/json: ESOCKETTIMEDOUT',
  ]);
  expect(lines).toContain('pass  storage batchCopyFile 200 application/json');
});

test('an answer without an end costs its own call only', async () => {
  const timers: NodeJS.Timeout[] = [];
  await using server = await startSoundServer((draft, response) => {
    if (draft.operation !== 'batchDelete' || draft.status !== 200) return draft;
    response.writeHead(200, draft.headers);
    timers.push(setInterval(() => response.write(' '), 50));
    return undefined;
  });
  const started = performance.now();
  const { code, lines } = await runAgainst(server.url, '--timeout', '1000');
  for (const timer of timers) clearInterval(timer);
  expect(code).toBe(4);
  expect(lines.filter((line) => line.startsWith('error'))).toEqual([
    'error storage batchDelete 200 application/json: no whole answer within 1000 ms',
  ]);
  expect(lines).toContain('pass  storage batchDelete 4XX application/json');
  expect(lines).toContain('pass  storage batchCopyFile 4XX application/json');
  expect(performance.now() - started).toBeLessThan(15_000);
});

test('a target that stops to answer is not asked for ever', async () => {
  await using server = await startSoundServer((draft) =>
    draft.operation === 'none' ? draft : undefined,
  );
  const { code, lines } = await runAgainst(server.url, '--timeout', '500');
  expect(code).toBe(4);
  expect(server.requests).toHaveLength(6);
  expect(lines).toContain(
    'error storage batchCopyFile 200 application/json: not tried, for the target had stopped to answer',
  );
});

test('a connection that is dropped is an error, not a breach', async () => {
  await using server = await startSoundServer((draft, response) => {
    if (draft.operation !== 'batchCopyFile') return draft;
    response.destroy();
    return undefined;
  });
  const { code, output } = await runAgainst(server.url);
  expect(code).toBe(4);
  expect(output).toMatch(
    /error storage batchCopyFile 200 application\/json: (socket hang up|.*ECONNRESET)/,
  );
});
