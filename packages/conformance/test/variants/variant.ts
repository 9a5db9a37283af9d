import type { ConformanceOptions } from '../../src/index.ts';
import type { Mutant, MutantContext } from '../mutants/mutant.ts';
import { type Hooks, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';

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

/**
 * Applies all variants in order. Each variant sees the changes that the previous ones made.
 *
 * @param effective gets the names of the variants that have changed something
 */
export function combine(
  variants: readonly Variant[],
  context: MutantContext,
  effective: Set<string>,
): Hooks {
  const all = variants.map(({ name, create }) => ({ name, hooks: create(context) }));
  const requesting = all.filter(({ hooks }) => hooks.request);
  const frames = all.flatMap(({ hooks }) => hooks.frames ?? []);
  const chunkBytes = all.find(({ hooks }) => hooks.chunkBytes)?.hooks.chunkBytes;
  for (const { name, hooks } of all) {
    if (hooks.early || hooks.frames || hooks.chunkBytes) effective.add(name);
  }

  /** Lets each variant change a message, until one of them returns a response to send instead. */
  async function change(
    message: MutatedRequest | MutatedResponse,
    callHook: (hooks: Hooks) => unknown,
  ): Promise<MutatedResponse | undefined> {
    for (const { name, hooks } of all) {
      const [head, body] = [toHead(message), message.body];
      const instead = await callHook(hooks);
      // Hooks replace bodies, never their bytes.
      const isChanged = toHead(message) !== head || !message.body.equals(body);
      if (isChanged || instead instanceof MutatedResponse) effective.add(name);
      if (instead instanceof MutatedResponse) return instead;
    }
    return undefined;
  }

  return {
    ...(chunkBytes ? { chunkBytes } : {}),
    ...(frames.length > 0 && {
      frames: (given) =>
        frames.reduce((passed, split) => passed.flatMap((one) => split(one)), [given]),
    }),
    streamsRequests: requesting.every(({ hooks }) => hooks.streamsRequests),
    async request(request) {
      const instead = await change(request, (hooks) => hooks.request?.(request));
      if (instead) await change(instead, (hooks) => hooks.response?.(instead, request));
      return instead;
    },
    early(outgoing) {
      for (const { hooks } of all) hooks.early?.(outgoing);
    },
    response: (response, request) =>
      change(response, (hooks) => hooks.response?.(response, request)),
    upgrade: (request) => change(request, (hooks) => hooks.upgrade?.(request)),
    upgraded: (response, request) =>
      change(response, (hooks) => hooks.upgraded?.(response, request)),
  };
}

function toHead(message: MutatedRequest | MutatedResponse): string {
  const first = message instanceof MutatedResponse ? message.status : message.target;
  return JSON.stringify([first, message.headers.list]);
}
