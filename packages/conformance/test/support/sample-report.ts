import { defaultWireProfile } from '@berth/spec/wire-profile';
import type { KnownFailure } from '../../src/options.ts';
import { createReport, type Report } from '../../src/report/to-report.ts';
import type { Result } from '../../src/result.ts';

/** A GW-C1 result that passed, with the given changes. */
export function sampleResult(given: Partial<Result> = {}): Result {
  return {
    engine: 'rules',
    id: 'GW-C1',
    level: 'must',
    statement: 'The sentence.',
    rules: ['GW-C1'],
    passed: [],
    operations: ['cloudrun-get'],
    outcome: 'pass',
    findings: [],
    notes: [],
    durationMs: 12,
    ...given,
  };
}

/** Creates the report of a run with these results and known failures. */
export function sampleReport(results: Result[], known: KnownFailure[] = []): Report {
  const started = new Date('2026-01-02T03:04:05.000Z');
  const report = createReport({ known, wireProfile: defaultWireProfile }, started, results, {
    targets: [
      { api: 'gateway', url: 'http://gateway.example', contract: 'gateway.v1', version: '1.0.0' },
      { api: 'storage', url: 'http://storage.example', contract: 'storage.v2', version: '2.0.0' },
    ],
    seed: 7,
    calls: 42,
    leftovers: [],
  });
  return { ...report, durationMs: 1500 };
}
