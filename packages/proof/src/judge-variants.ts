import { type ConformanceOptions, createConformance, type Report } from '@berth/conformance';
import type { Mutated } from './start-mutated.ts';
import { combine, type Variant } from './variants/variant.ts';

/**
 * Runs the suite against a server that does all of this, and returns what it condemns or leaves out.
 *
 * @param more engines that need not judge it; how long a call may take
 */
export async function judgeVariants(
  mutated: Mutated,
  variants: readonly Variant[],
  more: Pick<ConformanceOptions, 'skip' | 'timeout'> = {},
): Promise<{ report: Report; condemned: string[] }> {
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
    condemned: bad.map(
      ({ id, outcome, reason, findings }) =>
        `${outcome} ${id}: ${findings[0]?.message ?? reason ?? ''}`,
    ),
  };
}
