import { beforeAll, describe, expect, test } from 'vitest';
import { type Run, runAgainst } from './support/run.ts';
import { startSoundServer } from './support/sound-server.ts';

describe('a server that hangs, dawdles and drops', () => {
  const started = performance.now();
  let run: Run;

  beforeAll(async () => {
    const timers: NodeJS.Timeout[] = [];
    await using server = await startSoundServer((draft, response) => {
      const { operation, status, headers } = draft;
      if (status === 200 && operation === 'batchGetTempUrls') return undefined;
      if (status === 200 && operation === 'batchDelete') {
        response.writeHead(status, headers);
        timers.push(setInterval(() => response.write(' '), 50));
        return undefined;
      }
      if (operation !== 'batchCopyFile') return draft;
      response.destroy();
      return undefined;
    });
    run = await runAgainst(server.url, '--timeout', '700');
    for (const timer of timers) clearInterval(timer);
  });

  test('an answer that never comes is an error', () => {
    expect(run.code).toBe(4);
    expect(run.lines).toContain(
      'error storage batchGetTempUrls 200 application/json: ESOCKETTIMEDOUT',
    );
    expect(run.lines).toContain('pass  storage batchGetTempUrls 4XX application/json');
  });

  test('an answer without an end costs its own call only', () => {
    expect(run.lines).toContain(
      'error storage batchDelete 200 application/json: no whole answer within 700 ms',
    );
    expect(run.lines).toContain('pass  storage batchDelete 4XX application/json');
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('a connection that is dropped is an error, not a breach', () => {
    expect(run.output).toMatch(
      /error storage batchCopyFile 200 application\/json: (socket hang up|.*ECONNRESET)/,
    );
  });

  test('everything else is checked', () => {
    expect(run.lines.at(-1)).toMatch(/^20 pass, 0 fail, 4 error, 19 skip: /);
  });
});

test('a target that stops to answer is not asked for ever', async () => {
  await using server = await startSoundServer((draft) =>
    draft.operation === 'none' ? draft : undefined,
  );
  const { code, lines } = await runAgainst(server.url, '--timeout', '300');
  expect(code).toBe(4);
  // One to find the request form, and three for each API.
  expect(server.requests).toHaveLength(7);
  expect(lines).toContain(
    'error storage batchCopyFile 200 application/json: not tried, for the target had stopped to answer',
  );
});
