import { type ConformanceOptions, createConformance, type Report } from '@berth/conformance';
import type { Mutated } from './start-mutated.ts';
import { combine, type Variant } from './variants/variant.ts';

/**
 * Runs the suite against a server with all these variants, and returns what fails or is skipped.
 *
 * @param more engines to skip, and the timeout of a call
 */
export async function checkVariants(
  mutated: Mutated,
  variants: readonly Variant[],
  more: Pick<ConformanceOptions, 'skip' | 'timeout'> = {},
): Promise<{ report: Report; failures: string[] }> {
  mutated.use({ create: (context) => combine(variants, context) });
  const options = Object.assign({}, mutated.options, ...variants.map(({ options }) => options));
  const report = await createConformance({ ...options, ...more }).run();
  mutated.use(undefined);
  const bad = report.results.filter(
    ({ outcome, level }) =>
      outcome === 'skip' || outcome === 'error' || (outcome === 'fail' && level !== 'should'),
  );
  return {
    report,
    failures: bad.map(
      ({ id, outcome, reason, findings }) =>
        `${outcome} ${id}: ${findings[0]?.message ?? reason ?? ''}`,
    ),
  };
}
