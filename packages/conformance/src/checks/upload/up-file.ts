import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectBytes } from '../support/readings.ts';
import { isAccepted, postForm } from './post-form.ts';

/** Every byte value, in an order that no text has. */
const everyByte = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, at) => (at * 167) % 256));

const CONTENTS = [
  { what: 'an empty file', bytes: Buffer.alloc(0) },
  { what: 'one byte', bytes: Buffer.from([0]) },
  { what: 'all byte values', bytes: everyByte(256) },
  { what: 'text with line ends of all kinds', bytes: Buffer.from('\r\na\nb\rc\r\n\r\nd\r\n') },
  { what: 'a line end alone', bytes: Buffer.from('\r\n') },
  {
    what: 'what looks like boundaries',
    bytes: Buffer.from('--\r\n--berth-\r\n--berth-0000--\r\n\r\n------\r\n--'),
  },
  { what: 'text of many languages', bytes: Buffer.from('\uFEFFGrüße, 文件, файл, 😀\n') },
  { what: 'escapes', bytes: Buffer.from('%41%0D%0A+%25%zz&amp;\\n') },
  { what: '65,537 bytes', bytes: everyByte(65_537) },
  { what: '1 MiB less one byte', bytes: everyByte(2 ** 20 - 1) },
];

export const upFile = defineCheck('UP-FILE', needsFiles, async (t: Trial) => {
  let judged = 0;
  for (const [index, { what, bytes }] of CONTENTS.entries()) {
    const { given, reply } = await postForm(t, `${index}.bin`, bytes);
    if (!isAccepted(reply)) t.note(`${what} is refused with ${reply.received.status}.`);
    const reading = await t.upload.read(given.fileId);
    // That a form is stored at all is UP-FORM.
    if (!isAccepted(reply) || !reading.found) continue;
    judged += 1;
    expectBytes(t, reading, bytes, what);
  }
  await expectLookalike(t);
  t.reach(judged > 0, 'no file that was uploaded can be read');
});

/** What begins like the boundary of the very form. */
async function expectLookalike(t: Trial): Promise<void> {
  const boundary = `berth-${t.uniqueName()}`;
  const almost = boundary.slice(0, -1);
  const bytes = Buffer.from(`a\r\n--${almost}\r\n--${almost}--\r\n\r\n-${boundary}\n--${boundary}`);
  const { given, reply } = await postForm(t, 'lookalike.bin', bytes, { boundary });
  const reading = await t.upload.read(given.fileId);
  if (!isAccepted(reply) || !reading.found) return;
  expectBytes(t, reading, bytes, 'what begins like the boundary');
}
