import {
  type ConformanceOptions,
  createConformance,
  type Report,
  type Result,
} from '../../src/index.ts';

/** Runs only the Dredd engine, against one URL that serves both APIs. */
export function runDredd(url: string, options: Partial<ConformanceOptions> = {}): Promise<Report> {
  return createConformance({
    gatewayUrl: url,
    storageUrl: url,
    gatewayToken: 'token-1234',
    storageHeaders: { 'X-Svc-Authorization': '1.0 abcd' },
    forbiddenService: 'forbidden',
    only: ['dredd'],
    ...options,
  }).run();
}

/** Dredd's results by name. */
export function listDredd({ results }: Report): Record<string, Result> {
  return Object.fromEntries(
    results.filter(({ engine }) => engine === 'dredd').map((result) => [result.id, result]),
  );
}
