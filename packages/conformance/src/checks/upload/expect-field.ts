import type { Trial } from '../../trial/trial.ts';
import type { Grant } from '../../trial/upload-tool.ts';
import { expectBytes, expectNothing, readPath, storeReadable } from '../support/readings.ts';
import { changeOneCharacter, isAccepted, withField } from './post-form.ts';

const CONTENT = Buffer.from('what must not be stored');

/**
 * Expects a form to be refused, and to store nothing, where a field is missing or has another value than
 * that of its grant.
 *
 * @param toRight the right value
 */
export async function expectField(
  t: Trial,
  field: string,
  toRight: (grant: Grant) => string,
): Promise<void> {
  const existing = await storeReadable(t, 'existing.txt', 'the content before');
  const other = await t.upload.grant(t.storage.path('of-another-grant.txt'));
  const cases = [
    { what: `no ${field}`, toValue: () => undefined },
    { what: `an empty ${field}`, toValue: () => '' },
    {
      what: `a ${field} that is not quite right`,
      // A path is changed at its end, so that it stays in the folder of the check.
      toValue: (right: string) => (field === 'key' ? `${right}0` : changeOneCharacter(right)),
    },
    { what: `the ${field} of another grant`, toValue: () => toRight(other) },
  ];
  for (const [index, { what, toValue }] of cases.entries()) {
    const fresh = t.storage.path(`fresh-${index}.txt`);
    for (const path of index % 2 === 0 ? [fresh] : [fresh, existing.path]) {
      const given = await t.upload.grant(path);
      const value = toValue(toRight(given));
      // A value that all grants share is not wrong.
      if (value === toRight(given)) continue;
      const form = withField(t.upload.fields(given, CONTENT), field, value);
      const reply = await t.upload.post(given, form);
      const came = `answered with ${reply.received.status} and no Error`;
      t.expect(!isAccepted(reply), `${what}: the form must be refused, not ${came}`, reply);
      const reading = await t.upload.read(given.fileId);
      if (path === fresh) expectNothing(t, reading, `${what}: the file`);
      else expectBytes(t, reading, existing.bytes, `${what}: the file that was there before`);
      if (field !== 'key' || !value) continue;
      t.upload.track(value);
      expectNothing(t, await readPath(t, value), `${what}: the file at that key`);
    }
  }
}
