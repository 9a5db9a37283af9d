import type { Hooks } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { readForm, writeForm } from '../support/forms.ts';
import { fault } from './support/fault.ts';

const ofFile = (change: (bytes: Buffer) => Buffer): Hooks => ({
  request(request) {
    if (!request.isUpload) return;
    const form = readForm(request);
    const bytes = form.get('file');
    if (!bytes || !form.has('key')) return;
    const changed = change(bytes);
    if (!changed.equals(bytes)) writeForm(request, form.set('file', changed));
  },
});
const latin = (change: (text: string) => string) =>
  ofFile((bytes) => Buffer.from(change(bytes.toString('latin1')), 'latin1'));

/** What upload targets make of the bytes of a file. */
export const contents: readonly Mutant[] = [
  ...(
    [
      ['a CRLF at the end is eaten', (text: string) => text.replace(/\r\n$/, '')],
      ['a LF at the end is eaten', (text: string) => text.replace(/\n$/, '')],
      ['CRLF becomes LF', (text: string) => text.replaceAll('\r\n', '\n')],
      ['LF becomes CRLF', (text: string) => text.replace(/(?<!\r)\n/g, '\r\n')],
      ['it ends at two hyphens after a CRLF', (text: string) => text.replace(/\r\n--[\s\S]*/, '')],
      ['a byte order mark is lost', (text: string) => text.replace(/^\xef\xbb\xbf/, '')],
      ['it ends at a zero byte', (text: string) => text.replace(/\0[\s\S]*/, '')],
      ['it is cut at 65,536 bytes', (text: string) => text.slice(0, 65_536)],
      ['it is cut at 16,384 bytes', (text: string) => text.slice(0, 16_384)],
      ['white space around it is lost', (text: string) => text.trim()],
      ['an empty file becomes one byte', (text: string) => text || '\0'],
      ['a zero at the end is lost', (text: string) => text.replace(/\0$/, '')],
      ['a byte 0x1A ends it', (text: string) => text.split('\x1a', 1)[0] ?? ''],
      ['a plus becomes a space', (text: string) => text.replaceAll('+', ' ')],
    ] as const
  ).map(([breaks, change]) => fault('UP-FILE', breaks, latin(change))),
  fault(
    'UP-FILE',
    'bytes that are no UTF-8 are replaced',
    ofFile((bytes) => Buffer.from(bytes.toString())),
  ),
  fault(
    'UP-FILE',
    'escapes are decoded',
    latin((text) =>
      text.replace(/%[\da-f]{2}/gi, (code) =>
        String.fromCharCode(Number.parseInt(code.slice(1), 16)),
      ),
    ),
  ),
  fault('UP-FILE', 'what looks like the boundary cuts it', {
    request(request) {
      if (!request.isUpload) return;
      const boundary =
        /boundary="?([^";]+)/.exec(request.headers.get('content-type') ?? '')?.[1] ?? '-';
      const form = readForm(request);
      const text = form.get('file')?.toString('latin1') ?? '';
      const at = text.search(new RegExp(`--${boundary.slice(0, -1).replace(/[^\w]/g, '\\$&')}`));
      if (at >= 0) writeForm(request, form.set('file', Buffer.from(text.slice(0, at), 'latin1')));
    },
  }),
];
