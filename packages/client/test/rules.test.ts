import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const RULES = join(import.meta.dirname, '../../../spec/rules/clients.yaml');

it('every rule for clients is in the title of a test, and every title names a rule', async () => {
  const rules = await readFile(RULES, 'utf8');
  const ids = [...rules.matchAll(/^- id: (\S+)$/gm)].map(([, id]) => id);
  const titles = new Set<string>();
  for await (const file of glob('**/*.ts', { cwd: import.meta.dirname })) {
    const source = await readFile(join(import.meta.dirname, file), 'utf8');
    for (const [title] of source.matchAll(/(?<!\/\/.*)['"`].*CL-.*/g)) {
      for (const [id] of title.matchAll(/CL-[A-Z]+(-[A-Z]+)*/g)) titles.add(id);
    }
  }
  expect([...titles].sort()).toEqual(ids.toSorted());
});
