import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { copy } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, hasBytes, readPath, storeReadable } from '../support/readings.ts';

const LEVELS = ['name.txt', 'level/name.txt', 'level/deeper/name.txt', 'other/deeper/name.txt'];

export const stCopyPathLevels = defineCheck('ST-COPY-PATH-LEVELS', needsFiles, async (t: Trial) => {
  const copies = [];
  for (const [index, level] of LEVELS.entries()) {
    const { path, bytes } = await storeReadable(t, `source-${index}.txt`, `content ${index}`);
    const to = t.storage.path(`to/${level}`);
    await copy(t, { from: path, to });
    t.reach(hasBytes(await readPath(t, to), bytes), `no copy is made to ${level}`);
    copies.push({ level, to, bytes });
  }
  for (const { level, to, bytes } of copies) {
    expectBytes(t, await readPath(t, to), bytes, `${level}, beside files of its name,`);
  }
});
