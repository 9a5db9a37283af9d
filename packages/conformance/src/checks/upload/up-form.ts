import type { Trial } from '../../trial/trial.ts';
import type { Reading } from '../../trial/upload-tool.ts';
import { defineCheck } from '../check.ts';
import { canBeCopied } from '../support/copies.ts';
import { needsFiles } from '../support/needs-files.ts';
import { poll } from '../support/poll.ts';
import { describeReading } from '../support/readings.ts';
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
    { what: 'a boundary in quotes', name: 'quoted.txt', bytes: Buffer.from('q'), isQuoted: true },
  ];
  const before = new Map<string, Buffer>();
  for (const { what, name, bytes, ...options } of cases) {
    // Which bytes they are is UP-FILE, but they are not those that were there.
    const isStored = (got: Reading) => got.found && !before.get(name)?.equals(got.bytes);
    const { given, reply } = await postForm(t, name, bytes, options);
    const reading = await poll(() => t.upload.read(given.fileId), isStored, {
      most: LATEST,
      every: 200,
    });
    const holds = isStored(reading);
    before.set(name, bytes);
    if (!holds) {
      // Links that do not work, and an address that is not the returned one, are other rules.
      const isThere = !reading.found && (await canBeCopied(t, given.path));
      t.reach(!isThere, 'a file that was stored cannot be read');
      t.reach(!(await isStoredAtRoot(t, name, bytes)), 'forms are not taken at the returned url');
    }
    const came = `answered with ${reply.received.status} and read as ${describeReading(reading)}`;
    t.expect(holds, `${what} must be stored, not ${came}`, reply);
  }
});
