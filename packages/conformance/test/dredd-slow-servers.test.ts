import { beforeAll, describe, expect, test } from 'vitest';
import type { Report, Result } from '../src/index.ts';
import { startCorrectServer } from './support/correct-server.ts';
import { listDredd, runDredd } from './support/run-dredd.ts';

describe('a server that hangs, responds slowly and drops connections', () => {
  let report: Report;
  let results: Record<string, Result>;

  beforeAll(async () => {
    const timers: NodeJS.Timeout[] = [];
    await using server = await startCorrectServer((draft, response) => {
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
    report = await runDredd(server.url, { timeout: 3000 });
    for (const timer of timers) clearInterval(timer);
    results = listDredd(report);
  });

  test.each(['batchGetTempUrls', 'batchDelete'])(
    'an endless response of %s is an error',
    (name) => {
      const result = results[`storage ${name} 200 application/json`];
      expect(result?.outcome).toBe('error');
      expect(result?.reason).toMatch(new RegExp(`storages:${name}: no response within 3000 ms$`));
      expect(results[`storage ${name} 4XX application/json`]?.outcome).toBe('pass');
    },
  );

  test('a dropped connection is an error, not a violation', () => {
    const result = results['storage batchCopyFile 200 application/json'];
    expect(result?.outcome).toBe('error');
    expect(result?.reason).toMatch(/socket hang up|ECONNRESET/);
  });

  test('everything else is checked', () => {
    expect(report.exitCode).toBe(4);
    const outcomes = Object.values(results).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'pass')).toHaveLength(22);
    expect(outcomes.filter((outcome) => outcome === 'error')).toHaveLength(4);
  });
});
