import { startReference } from '../start-reference.ts';
import type { Begin, Coverage, Ready } from './start-instrumented.ts';

/*
 * The reference server with a source mutant, in a process of its own. `__STRYKER_ACTIVE_MUTANT__` selects the
 * mutant. Stryker's code counts in `globalThis.__stryker__` which mutants are reached.
 */
interface Stryker {
  currentTestId?: string;
  mutantCoverage?: Coverage;
}
const { __stryker__: stryker } = globalThis as unknown as { __stryker__: Stryker };

// The parent has ended.
process.once('disconnect', () => process.exit());
const { options } = await startReference({ fixtureUrl: process.env.BERTH_FIXTURE ?? '' });
process.on('message', ({ test }: Begin) => {
  stryker.currentTestId = test;
  report();
});
report();

function report(): void {
  const { mutantCoverage = { static: {}, perTest: {} } } = stryker;
  process.send?.({ options, coverage: mutantCoverage } satisfies Ready);
}
