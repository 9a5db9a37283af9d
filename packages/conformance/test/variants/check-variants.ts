import { createConformance, type Report } from '../../src/index.ts';
import { type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Mutated } from '../targets/start-mutated.ts';
import { combine, type Variant } from './variant.ts';

/**
 * Runs the suite against a server that applies all of these variants, and returns what fails or is skipped.
 *
 * @param skip the engines to leave out
 * @returns the results, and the names of the variants that changed no message
 */
export async function checkVariants(
  mutated: Mutated,
  variants: readonly Variant[],
  skip: readonly string[],
): Promise<{ report: Report; failures: string[]; idle: string[] }> {
  const effective = new Set<string>();
  const watched = variants.map((one) => watch(one, () => effective.add(one.name)));
  mutated.use({ create: (context) => combine(watched, context) });
  const options = Object.assign({}, mutated.options, ...variants.map(({ options }) => options));
  const report = await createConformance({ ...options, skip }).run();
  mutated.use(undefined);
  const bad = report.results.filter(
    ({ outcome, level }) =>
      outcome === 'skip' || outcome === 'error' || (outcome === 'fail' && level !== 'should'),
  );
  return {
    report,
    idle: variants.map(({ name }) => name).filter((name) => !effective.has(name)),
    failures: bad.map(
      ({ id, outcome, reason, findings }) =>
        `${outcome} ${id}: ${findings[0]?.message ?? reason ?? ''}`,
    ),
  };
}

/** Reports when a variant changes a message. */
function watch(one: Variant, onEffect: () => void): Variant {
  const watchHook =
    <Given extends MutatedRequest | MutatedResponse, Rest extends unknown[], Result>(
      hook: (given: Given, ...rest: Rest) => Result,
    ) =>
    (given: Given, ...rest: Rest): Result => {
      const isChanged = observe(given);
      const report = (instead: unknown) => {
        if (instead instanceof MutatedResponse || isChanged()) onEffect();
      };
      const result = hook(given, ...rest);
      if (result instanceof Promise) result.then(report, () => {});
      else report(result);
      return result;
    };
  return {
    ...one,
    create(context) {
      const hooks = one.create(context);
      const { request, response, early, frames, upgrade, upgraded, chunkBytes } = hooks;
      if (early || frames || chunkBytes) onEffect();
      return {
        ...hooks,
        ...(request && { request: watchHook(request) }),
        ...(response && { response: watchHook(response) }),
        ...(upgrade && { upgrade: watchHook(upgrade) }),
        ...(upgraded && { upgraded: watchHook(upgraded) }),
      };
    },
  };
}

/** Returns a function that checks whether a message has changed since. Hooks replace bodies, never their bytes. */
function observe(message: MutatedRequest | MutatedResponse): () => boolean {
  const { body } = message;
  const head = toHead(message);
  return () => toHead(message) !== head || !(message.body === body || message.body.equals(body));
}

function toHead(message: MutatedRequest | MutatedResponse): string {
  const first = message instanceof MutatedResponse ? message.status : message.target;
  return JSON.stringify([first, message.headers.list]);
}
