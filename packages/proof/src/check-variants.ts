import { type ConformanceOptions, createConformance, type Report } from '@berth/conformance';
import { type MutatedRequest, MutatedResponse } from './proxy/messages.ts';
import type { Mutated } from './start-mutated.ts';
import { combine, type Variant } from './variants/variant.ts';

/**
 * Runs the suite against a server with all these variants, and returns what fails or is skipped.
 *
 * @param more engines to skip, and the timeout of a call
 * @returns the results, and the names of the variants that changed a message
 */
export async function checkVariants(
  mutated: Mutated,
  variants: readonly Variant[],
  more: Pick<ConformanceOptions, 'skip' | 'timeout'> = {},
): Promise<{ report: Report; failures: string[]; effective: Set<string> }> {
  const effective = new Set<string>();
  const watched = variants.map((one) => watch(one, () => effective.add(one.name)));
  mutated.use({ create: (context) => combine(watched, context) });
  const options = Object.assign({}, mutated.options, ...variants.map(({ options }) => options));
  const report = await createConformance({ ...options, ...more }).run();
  mutated.use(undefined);
  const bad = report.results.filter(
    ({ outcome, level }) =>
      outcome === 'skip' || outcome === 'error' || (outcome === 'fail' && level !== 'should'),
  );
  return {
    report,
    effective,
    failures: bad.map(
      ({ id, outcome, reason, findings }) =>
        `${outcome} ${id}: ${findings[0]?.message ?? reason ?? ''}`,
    ),
  };
}

/** Reports when a variant changes a message. */
function watch(one: Variant, onEffect: () => void): Variant {
  const compare = (message: MutatedRequest | MutatedResponse, before: string) => {
    if (toText(message) !== before) onEffect();
  };
  return {
    ...one,
    create(context) {
      const hooks = one.create(context);
      const { request, response, early, message, upgrade, upgraded, chunkBytes } = hooks;
      if (early || message || chunkBytes) onEffect();
      return {
        ...hooks,
        ...(request && {
          async request(given) {
            const before = toText(given);
            const instead = await request(given);
            if (instead instanceof MutatedResponse) onEffect();
            else compare(given, before);
            return instead;
          },
        }),
        ...(response && {
          async response(given, to) {
            const before = toText(given);
            await response(given, to);
            compare(given, before);
          },
        }),
        ...(upgrade && {
          upgrade(given) {
            const before = toText(given);
            const refusal = upgrade(given);
            if (refusal !== undefined) onEffect();
            compare(given, before);
            return refusal;
          },
        }),
        ...(upgraded && {
          upgraded(given, to) {
            const before = toText(given);
            upgraded(given, to);
            compare(given, before);
          },
        }),
      };
    },
  };
}

function toText(message: MutatedRequest | MutatedResponse): string {
  const first = message instanceof MutatedResponse ? message.status : message.target;
  return JSON.stringify([first, message.headers.list, message.body.toString('latin1')]);
}
