import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule } from '../../src/contract/catalog.ts';
import type { Api } from '../../src/contract/openapi.ts';
import { type ConformanceOptions, createConformance, type Finding } from '../../src/index.ts';
import { type Mutated, startMutated } from '../targets/start-mutated.ts';
import { mutants } from './index.ts';

/** Mutants that are checked at the same time, each on a server of its own: most checks wait for responses. */
const AT_ONCE = 4;

/** Whether a finding has the request and the response, not those of a later question to the fixture service. */
function isClear({ message, request, response }: Finding): boolean {
  const isReadable = !/undefined|\[object /.test(message);
  const isReport = /\/(count|closed|release)\?/.test(request?.url ?? '');
  return isReadable && request !== undefined && response !== undefined && !isReport;
}

/** Defines a test for each mutant of an API: its sentence alone must find it, with clear evidence. */
export function expectFound(api: Api): void {
  const servers: Mutated[] = [];
  beforeAll(async () => {
    servers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => startMutated()))));
  });
  afterAll(() => Promise.all(servers.map(({ close }) => close())));

  const rows = mutants
    .map((mutant) => ({ ...mutant, rule: findRule(mutant.id) }))
    .filter(({ rule }) => rule.api === api)
    .map((row) => [`${row.id}: ${row.breaks}`, row] as const);

  test.concurrent.each(rows)('%s is found, with evidence', async (_, { id, rule, create }) => {
    const server = servers.pop();
    if (server === undefined) throw new Error('More tests run at once than there are servers.');
    const options: ConformanceOptions = {
      ...server.options,
      only: [id],
      // A run of `ST-SEQUENCE` ends with the first sequence that shows the fault.
      ...(id === 'ST-SEQUENCE' && { sequences: 200 }),
      // Some mutants of the gateway swallow what a check waits for.
      timeout: api === 'gateway' ? 10 : 60,
      minLinkSeconds: 3,
    };
    server.use({ create });
    try {
      const { results } = await createConformance(options).run();
      const result = results.find((each) => each.id === rule.id);
      expect(result?.outcome, result?.reason).toBe('fail');
      expect(result?.findings.filter((finding) => !isClear(finding))).toEqual([]);
    } finally {
      servers.push(server);
    }
  });
}
