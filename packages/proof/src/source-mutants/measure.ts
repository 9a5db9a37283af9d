import { createConformance } from '@berth/conformance';
import { startFixture } from '@berth/conformance/fixture';
import rules from '@berth/spec/rules.json' with { type: 'json' };
import { type Place, SEED, startInstrumented } from './start-instrumented.ts';

/** What a normal run does, measured on the correct server. */
export interface Normal {
  /** Duration of a complete run, in milliseconds. */
  total: number;
  /** Duration of each rule, in milliseconds. */
  durations: Record<string, number>;
  /** The rules that reach each mutant, by its ID. */
  reached: Record<string, string[]>;
}

/**
 * Runs each rule against the instrumented server without an active mutant.
 *
 * @throws Error if the server breaks a rule
 */
export async function measure(place: Omit<Place, 'fixtureUrl'>): Promise<Normal> {
  const fixture = await startFixture({ port: 0 });
  const server = await startInstrumented({ ...place, fixtureUrl: fixture.url });
  try {
    if (server === undefined) throw new Error('The instrumented server does not start.');
    const complete = await createConformance({ ...server.options, seed: SEED }).run();
    const failed = complete.results.filter(({ outcome }) => outcome !== 'pass');
    if (failed.length > 0) {
      const ids = failed.map(({ id }) => id).join(' ');
      throw new Error(`The instrumented server does not follow the contract: ${ids}`);
    }
    const ids = rules.rules.filter(({ level }) => level !== 'info').map(({ id }) => id);
    const durations: Record<string, number> = {};
    for (const id of ids) {
      await server.begin(id);
      const options = { ...server.options, only: [id], seed: SEED };
      durations[id] = (await createConformance(options).run()).durationMs;
    }
    const { static: always, perTest } = await server.begin('end');
    const reached: Record<string, string[]> = {};
    for (const id of ids) {
      for (const mutant of Object.keys(perTest[id] ?? {})) {
        reached[mutant] = [...(reached[mutant] ?? []), id];
      }
    }
    for (const mutant of Object.keys(always)) reached[mutant] = ids;
    return { total: complete.durationMs, durations, reached };
  } finally {
    await server?.close();
    await fixture.close();
  }
}
