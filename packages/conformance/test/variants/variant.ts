import type { ConformanceOptions } from '../../src/index.ts';
import type { Mutant, MutantContext } from '../mutants/mutant.ts';
import { type Hooks, MutatedResponse } from '../proxy/messages.ts';

/** A way in which a correct deployment may differ from the reference server. */
export interface Variant {
  /** The difference, as a sentence: `Server is replaced`. */
  name: string;
  /** Why it is allowed: a decision, a section of an RFC, or what the API description leaves open. */
  allowed: string;
  /** What it changes; variants of the same aspect are never in the same run. Default: no conflict. */
  aspect?: string;
  /** Options that its operator has to declare. */
  options?: Partial<ConformanceOptions>;
  create: Mutant['create'];
}

type VariantRows = Readonly<Record<string, Mutant['create'] | Hooks>>;

/** Creates variants, by name, that a sentence allows. */
export const allow = (allowed: string, rows: VariantRows): Variant[] =>
  Object.entries(rows).map(([name, hooks]) => ({
    ...{ name, allowed },
    create: typeof hooks === 'function' ? hooks : () => hooks,
  }));

/** Creates variants of one aspect. */
export const oneOf = (
  aspect: string,
  allowed: string,
  rows: VariantRows,
  options: Partial<ConformanceOptions> = {},
): Variant[] => allow(allowed, rows).map((one) => ({ ...one, aspect, options }));

/**
 * Distributes the variants evenly over as few runs as possible. Variants of the same aspect are never in the
 * same run.
 */
export function toRuns(variants: readonly Variant[]): Variant[][] {
  const aspects = Object.groupBy(variants, ({ aspect }) => aspect ?? '');
  const sizes = Object.entries(aspects).map(([aspect, rows = []]) => (aspect ? rows.length : 1));
  const runs: Variant[][] = Array.from({ length: Math.max(...sizes) }, () => []);
  for (const one of variants) {
    const isTaken = (run: Variant[]) => run.some(({ aspect }) => aspect && aspect === one.aspect);
    const [run] = runs.filter((rows) => !isTaken(rows)).sort((a, b) => a.length - b.length);
    run?.push(one);
  }
  return runs;
}

/** Applies all variants in order. Each variant sees the changes that the previous ones made. */
export function combine(variants: readonly Variant[], context: MutantContext): Hooks {
  const all = variants.map(({ create }) => create(context));
  const withRequest = all.filter(({ request }) => request);
  const frames = all.flatMap((hooks) => hooks.frames ?? []);
  const chunkBytes = all.find((hooks) => hooks.chunkBytes)?.chunkBytes;
  return {
    ...(chunkBytes ? { chunkBytes } : {}),
    ...(withRequest.length === 0
      ? {}
      : {
          streamsRequests: withRequest.every(({ streamsRequests }) => streamsRequests),
          async request(request) {
            for (const hooks of withRequest) {
              const instead = await hooks.request?.(request);
              if (!(instead instanceof MutatedResponse)) continue;
              for (const other of all) await other.response?.(instead, request);
              return instead;
            }
          },
        }),
    ...(frames.length === 0
      ? {}
      : {
          frames: (given) =>
            frames.reduce((passed, change) => passed.flatMap((one) => change(one)), [given]),
        }),
    early(outgoing) {
      for (const hooks of all) hooks.early?.(outgoing);
    },
    async response(response, request) {
      for (const hooks of all) await hooks.response?.(response, request);
    },
    upgrade(request) {
      for (const hooks of all) {
        const refusal = hooks.upgrade?.(request);
        if (refusal instanceof MutatedResponse) return refusal;
      }
    },
    upgraded(response, request) {
      for (const hooks of all) hooks.upgraded?.(response, request);
    },
  };
}
