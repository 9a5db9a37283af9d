// After `changeset version`: saves the current documents, which `check` compares with from then on.
import { copyFile, mkdir } from 'node:fs/promises';
import { DOCUMENTS } from './generate/bundle.ts';

await mkdir('released', { recursive: true });
for (const name of DOCUMENTS) {
  await copyFile(`generated/${name}.gen.json`, `released/${name}.json`);
}
