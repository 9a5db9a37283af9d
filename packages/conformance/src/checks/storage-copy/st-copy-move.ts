import { defineCheck } from '../check.ts';
import { copy } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import {
  expectBytes,
  expectNothing,
  hasBytes,
  readPath,
  storeReadable,
} from '../support/readings.ts';
import { storeCopyable } from '../support/store-copyable.ts';

export const stCopyMove = defineCheck('ST-COPY-MOVE', needsFiles, async (t) => {
  const kept = await storeCopyable(t, 'kept.txt');
  const existing = await storeReadable(t, 'existing.txt', 'old');
  const single = await storeReadable(t, 'single.txt');
  const onto = await storeReadable(t, 'onto.txt');
  const second = await storeReadable(t, 'second.txt');
  const move = (from: string, to: string) => ({ from, to, removeOriginal: true });
  const cases = [
    { what: 'to a free destination', file: single, to: `${single.path}.moved`, before: [] },
    { what: 'onto an existing destination', file: onto, to: existing.path, before: [] },
    {
      what: 'in the second item',
      file: second,
      to: t.storage.path('level/second.txt'),
      before: [{ from: kept.path, to: `${kept.path}.copy` }],
    },
  ];
  for (const { what, file, to, before } of cases) {
    await copy(t, ...before, move(file.path, to));
    const reading = await readPath(t, to);
    // Whether an existing destination is overwritten, and a second item copied, are other rules.
    if (file !== single && !hasBytes(reading, file.bytes)) continue;
    expectBytes(t, reading, file.bytes, `a move ${what}: the destination`);
    expectNothing(t, await readPath(t, file.path), `a move ${what}: the source`);
  }
});
