// After `changeset version`: adds the current rule set to the released ones, which never change from then on.
import { writeFile } from 'node:fs/promises';
import { ruleSets } from '../src/contract/rules.ts';

const file = new URL('../src/contract/released-rules.json', import.meta.url);
await writeFile(file, `${JSON.stringify(ruleSets, null, 2)}\n`);
