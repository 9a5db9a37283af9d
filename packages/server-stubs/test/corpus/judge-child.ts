import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Case } from './judge.ts';

// Runs in a separate process that does not allow code from strings, because only generated code runs
// here, which needs no compiler.
const [folder = '.'] = process.argv.slice(2);
const cases: Case[] = JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8'));
const modules = new Map<string, object>();
for (const name of new Set(cases.map(({ module }) => module))) {
  modules.set(name, await import(pathToFileURL(name).href));
}
const verdicts = cases.map(({ module, path, values }) => {
  const validate = path.reduce<unknown>((node, key) => (node as never)[key], modules.get(module));
  if (typeof validate !== 'function') throw new TypeError(`${module} has no ${path.join('.')}`);
  return values.map((value) => validate(value) as boolean);
});
await writeFile(join(folder, 'verdicts.json'), JSON.stringify(verdicts));
