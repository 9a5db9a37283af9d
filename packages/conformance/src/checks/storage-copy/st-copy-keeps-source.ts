import { defineCheck } from '../check.ts';
import { copy } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes, readPath, storeReadable } from '../support/readings.ts';

export const stCopyKeepsSource = defineCheck('ST-COPY-KEEPS-SOURCE', needsFiles, async (t) => {
  const cases = [
    { what: 'without removeOriginal', more: {} },
    { what: 'with removeOriginal false', more: { removeOriginal: false } },
    { what: 'with overwrite true alone', more: { overwrite: true } },
  ];
  for (const [index, { what, more }] of cases.entries()) {
    const { path, bytes } = await storeReadable(t, `${index}.txt`);
    await copy(t, { from: path, to: `${path}.copy`, ...more });
    expectBytes(t, await readPath(t, path), bytes, `a copy ${what}: the source`);
  }
  const moved = await storeReadable(t, 'moved.txt');
  const { path, bytes } = await storeReadable(t, 'kept.txt');
  const move = { from: moved.path, to: `${moved.path}.to`, removeOriginal: true };
  await copy(t, move, { from: path, to: `${path}.copy` });
  expectBytes(t, await readPath(t, path), bytes, 'a copy beside a move: the source of the copy');
});
