import type { Trial } from '../../trial/trial.ts';
import type { Reading } from '../../trial/upload-tool.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { describeReading, hasBytes, storeReadable } from '../support/readings.ts';
import { holdForm } from './hold-upload.ts';

const OLD = Buffer.from('the old content, '.repeat(6000));
const NEW = Buffer.alloc(200_000, 'the new content, ');
/** Readings while an upload is held. */
const READINGS = 6;

export const upWhole = defineCheck('UP-WHOLE', needsFiles, async (t: Trial) => {
  const existing = await storeReadable(t, 'existing.txt', OLD);
  await uploadAndRead(t, 'over an existing file', existing.path, [OLD]);
  await uploadAndRead(t, 'of a new file', t.storage.path('new.txt'), []);
});

/** Reads all the time while an upload goes on, and after it. */
async function uploadAndRead(
  t: Trial,
  what: string,
  path: string,
  before: readonly Buffer[],
): Promise<void> {
  const given = await t.upload.grant(path);
  const held = holdForm((size) => Math.floor(size / 2));
  const form = t.upload.fields(given, NEW);
  const state = { isOver: false };
  const answered = t.upload.post(given, form, { trickle: held.trickle }).finally(() => {
    state.isOver = true;
  });
  const judge = (reading: Reading, when: string, contents: readonly Buffer[]) => {
    if (!reading.found) return t.expect(true, when);
    const isWhole = contents.some((content) => hasBytes(reading, content));
    const wanted = contents.length > 0 ? 'must be whole' : 'must not be there';
    const message = `an upload ${what}, ${when}: the file ${wanted}, not ${describeReading(reading)}`;
    t.expect(isWhole, message, reading.exchange);
  };
  await Promise.race([held.isUnderWay, answered.catch(() => {})]);
  for (let turn = 0; turn < READINGS; turn += 1) {
    judge(await t.upload.read(given.fileId), 'with half of it sent', before);
  }
  held.release();
  while (!state.isOver) {
    judge(await t.upload.read(given.fileId), 'while it ends', [...before, NEW]);
  }
  const { hasError, received } = await answered;
  t.reach(!hasError && received.status < 400, 'a form that is sent slowly is refused');
}
