import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { canBeCopied } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { poll } from '../support/poll.ts';
import { hasErrorElement } from './has-error-element.ts';

const LATEST = 2000;

export const upSuccess = defineCheck('UP-SUCCESS', needsFiles, async (t: Trial) => {
  const cases = [
    { what: 'a good form', name: 'file.txt', bytes: Buffer.from('first') },
    { what: 'a form for a file that exists', name: 'file.txt', bytes: Buffer.from('second') },
    { what: 'an empty file', name: 'empty.txt', bytes: Buffer.alloc(0) },
    {
      what: 'a file with an Error element',
      name: 'error.xml',
      bytes: Buffer.from('<Error></Error>'),
    },
  ];
  let judged = 0;
  for (const { what, name, bytes } of cases) {
    const given = await t.upload.grant(t.storage.path(name));
    const reply = await t.upload.post(given, t.upload.fields(given, bytes));
    const { status, text } = reply.received;
    const hasError = hasErrorElement(text);
    const reading = await poll(
      () => t.upload.read(given.fileId),
      (got) => got.found && got.bytes.equals(bytes),
      { most: hasError ? 0 : LATEST, every: 200 },
    );
    const isStored = reading.found && reading.bytes.equals(bytes);
    // A good form that is refused, and stores nothing, is the subject of UP-FORM.
    if (!isStored && (hasError || status >= 400)) continue;
    if (!isStored) {
      t.reach(!(await canBeCopied(t, given.path)), 'a file that was stored cannot be read');
    }
    judged += 1;
    t.expect(!hasError, `${what}, which is stored: the answer must have no Error element`, reply);
    const lost = `${what}: an answer without an Error element is a success, so it must be stored`;
    t.expect(isStored, lost, reply);
  }
  t.reach(judged > 0, 'no good form is taken');
});
