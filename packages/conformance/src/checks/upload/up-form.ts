import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { canBeCopied } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { poll } from '../support/poll.ts';
import { isStoredAtRoot } from './is-stored-at-root.ts';
import { postForm } from './post-form.ts';

/** Longest wait for a file to show, in milliseconds; that it shows at once is UP-KEPT. */
const LATEST = 2000;

export const upForm = defineCheck('UP-FORM', needsFiles, async (t: Trial) => {
  const cases = [
    { what: 'a form with a small file', name: 'small.txt', bytes: Buffer.from('small') },
    {
      what: 'a form with 20,000 bytes',
      name: 'level/large.bin',
      bytes: Buffer.alloc(20_000, 'ab'),
    },
    { what: 'a form for a file that exists', name: 'small.txt', bytes: Buffer.from('second') },
  ];
  for (const { what, name, bytes } of cases) {
    const { given, reply } = await postForm(t, name, bytes);
    const reading = await poll(
      () => t.upload.read(given.fileId),
      ({ found }) => found,
      { most: LATEST, every: 200 },
    );
    if (!reading.found) {
      // Links that do not work, and an address that is not the returned one, are other rules.
      t.reach(!(await canBeCopied(t, given.path)), 'a file that was stored cannot be read');
      t.reach(!(await isStoredAtRoot(t, name, bytes)), 'forms are not taken at the returned url');
    }
    const { status } = reply.received;
    const came = `answered with ${status} and not found: ${reading.found ? '' : reading.why}`;
    t.expect(reading.found, `${what} must be stored, not ${came}`, reply);
  }
});
