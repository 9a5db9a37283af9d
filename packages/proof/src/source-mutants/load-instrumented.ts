import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/* Preloaded by the server of a source mutant: replaces its sources by the instrumented copies. */
const file = process.env.BERTH_INSTRUMENTED ?? '';
const sources: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));

registerHooks({
  load(url, context, nextLoad) {
    const source = url.startsWith('file:') ? sources[fileURLToPath(url)] : undefined;
    if (source === undefined) return nextLoad(url, context);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});
