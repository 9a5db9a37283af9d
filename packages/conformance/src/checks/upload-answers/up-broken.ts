import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { poll } from '../support/poll.ts';
import { expectBytes, expectNothing, hasBytes, storeReadable } from '../support/readings.ts';
import { holdForm } from './hold-upload.ts';

const CONTENT = Buffer.alloc(100_000, 'what never comes whole, ');
/** How long is looked for traces of a broken upload, in milliseconds. */
const LOOK = { most: 500, every: 100 };

const half = (size: number) => Math.floor(size / 2);
const chunked = { 'Transfer-Encoding': 'chunked' };

export const upBroken = defineCheck('UP-BROKEN', needsFiles, async (t: Trial) => {
  const existing = await storeReadable(t, 'existing.txt', 'the content before');
  const cases = [
    { what: 'after half', cut: half, headers: {} },
    { what: 'after half, chunked', cut: half, headers: chunked },
    { what: 'within the last boundary', cut: (size: number) => size - 20, headers: {} },
  ];
  const judgeAll = cases.flatMap(({ what, cut, headers }, index) =>
    [t.storage.path(`fresh-${index}.bin`), existing.path].map(async (path) => {
      const given = await t.upload.grant(path);
      const held = holdForm(cut);
      const fields = t.upload.fields(given, CONTENT);
      const answered = t.upload.post(given, fields, { headers, trickle: held.trickle }).then(
        (reply) => reply,
        () => undefined,
      );
      await Promise.race([held.isUnderWay, answered]);
      // While the file is read, what was sent arrives.
      const readings = [await t.upload.read(given.fileId), await t.upload.read(given.fileId)];
      held.cut();
      const reply = await answered;
      const isFresh = path !== existing.path;
      const last = await poll(
        () => t.upload.read(given.fileId),
        (got) => (isFresh ? got.found : !hasBytes(got, existing.bytes)),
        LOOK,
      );
      const how = `an upload that breaks off ${what}${reply ? ' (and was answered)' : ''}`;
      for (const reading of [...readings, last]) {
        if (isFresh) expectNothing(t, reading, `${how}: the file`);
        else expectBytes(t, reading, existing.bytes, `${how}: the file that was there before`);
      }
    }),
  );
  await Promise.all(judgeAll);
});
