// After `changeset version`: the documents of today become the ones that `check` compares with.
import { copyFile, mkdir } from 'node:fs/promises';
import { DOCUMENTS } from './generate/bundle.ts';

await mkdir('released', { recursive: true });
for (const name of DOCUMENTS) {
  await copyFile(`generated/${name}.gen.json`, `released/${name}.json`);
}
