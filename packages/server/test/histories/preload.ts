import { readFileSync } from 'node:fs';
import disk from 'node:fs/promises';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Surroundings } from './replicas.ts';

/*
 * Preloaded by the servers of histories: changes their sources, their disk and their clock. Calls that change names
 * on disk take a few milliseconds, as on a busy machine, so that more orders of them occur.
 */
const { patches, diskMilliseconds }: Surroundings = JSON.parse(
  process.env.BERTH_SURROUNDINGS ?? '',
);

registerHooks({
  load(url, context, nextLoad) {
    const own = patches.filter(({ file }) => url.endsWith(`/src/${file}`));
    if (own.length === 0) return nextLoad(url, context);
    let source = readFileSync(fileURLToPath(url), 'utf8');
    for (const { file, find, replace } of own) {
      const count = source.split(find).length - 1;
      if (count !== 1) throw new Error(`${file} contains ${count} times: ${find}`);
      source = source.replace(find, () => replace);
    }
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

type Call = (...args: unknown[]) => Promise<unknown>;
const calls = disk as unknown as Record<string, Call>;
for (const name of ['link', 'lstat', 'open', 'rename', 'rm', 'rmdir', 'unlink']) {
  const real = calls[name] as Call;
  calls[name] = async (...args) => {
    if (Math.random() < 0.5) await wait(Math.random() * diskMilliseconds);
    return real(...args);
  };
}
syncBuiltinESMExports();

/** How far the clock may be wrong. Signatures are accepted for five minutes. */
const SKEW_MILLISECONDS = 120_000;
const now = Date.now;
let skew = 0;
Date.now = () => now() + skew;
process.on('SIGUSR2', () => {
  skew = Math.round((Math.random() * 2 - 1) * SKEW_MILLISECONDS);
});
