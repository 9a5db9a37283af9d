import { startFixture } from '@berth/conformance/fixture';
import { checkSourceMutant } from './check-source-mutant.ts';
import type { SourceMutant } from './instrument.ts';
import type { Normal } from './measure.ts';
import type { Place } from './start-instrumented.ts';

/** The message to this process. */
export interface Shard {
  mutants: SourceMutant[];
  normal: Normal;
  place: Omit<Place, 'fixtureUrl'>;
}

/* Checks some of the mutants in a process of its own, and sends each row when it is ready. */
process.once('message', async ({ mutants, normal, place }: Shard) => {
  const fixture = await startFixture({ port: 0 });
  for (const mutant of mutants) {
    const row = await checkSourceMutant(mutant, normal, { ...place, fixtureUrl: fixture.url });
    process.send?.(row);
  }
  await fixture.close();
  process.disconnect();
});
