import { createContext, type MutantContext } from '../mutants/context.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { startProxy } from '../proxy/start-proxy.ts';
import { startReference, type Target, type TargetOptions } from './start-reference.ts';

/** A fixed seed, because only a few of the generated requests reveal some faults. */
const SEED = 1;
/** Fewer than usual: many tests run all rules, and others are about sequences. */
const SEQUENCES = 8;

export interface Mutated extends Target {
  /** Replaces the current mutant. Returns what it can use. */
  use(mutant: Pick<Mutant, 'create'>): MutantContext;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server behind a proxy that injects faults. Default: the reference server. */
export async function startMutated(
  start: (options: TargetOptions) => Promise<Target> = startReference,
): Promise<Mutated> {
  const proxy = await startProxy();
  const { url: publicUrl } = proxy;
  const target = await start({ publicUrl });
  const context = createContext(target, publicUrl);
  proxy.server = target.options.gatewayUrl;
  const close = async () => {
    await proxy.close();
    await target.close();
  };
  const urls = { gatewayUrl: publicUrl, storageUrl: publicUrl };
  return {
    options: { ...target.options, ...urls, seed: SEED, sequences: SEQUENCES },
    use({ create }) {
      proxy.hooks = create(context);
      return context;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
