import { type Hooks, type Json, MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { deleteFile, readForm, rememberGrants, writeForm } from '../support/uploads.ts';
import { fault, keyOf, ofStored, ofSuccess, refusing } from './fault.ts';

const ofGrant = (change: (data: Json) => void): Hooks =>
  ofSuccess((json, _, operation) => {
    if (operation === 'getUploadMetaData') change(json.body.data);
  });

/** What storage services make of upload metadata. */
export const grants: readonly Mutant[] = [
  fault(
    'ST-META-CALL',
    'only the first directory may hold files',
    refusing(
      ({ operation, json }) =>
        operation === 'getUploadMetaData' &&
        String((json?.data ?? json)?.path).split('/').length > 2,
    ),
    ['ST-COPY-PATH-LEVELS'],
  ),
  fault('ST-META-CALL', 'a file that exists gets no second grant', () => {
    const seen = new Set<string>();
    return refusing(({ operation, json }) => {
      const path = (json?.data ?? json)?.path;
      if (operation !== 'getUploadMetaData' || typeof path !== 'string') return false;
      const isSecond = seen.has(path);
      seen.add(path);
      return isSecond;
    });
  }),
  fault(
    'ST-META-URL',
    'it lacks the scheme',
    ofGrant((data) => {
      data.url = data.url?.replace(/^http:/, '');
    }),
  ),
  fault(
    'ST-META-URL',
    'it is a path',
    ofGrant((data) => {
      data.url = new URL(data.url).pathname;
    }),
  ),
  fault(
    'ST-META-TOKEN',
    'it is null',
    ofGrant((data) => {
      data.token = null;
    }),
  ),
  fault(
    'ST-META-TOKEN',
    'it is missing',
    ofGrant((data) => {
      delete data.token;
    }),
  ),
  fault(
    'ST-META-AUTHORIZATION',
    'it is an object',
    ofGrant((data) => {
      data.authorization = { value: data.authorization };
    }),
  ),
  fault(
    'ST-META-AUTHORIZATION',
    'it is missing',
    ofGrant((data) => {
      delete data.authorization;
    }),
  ),
  fault(
    'ST-META-FILE-ID',
    'it is a number',
    ofGrant((data) => {
      data.fileID = 4;
    }),
  ),
  fault(
    'ST-META-FILE-ID',
    'it is spelled fileId',
    ofGrant((data) => {
      data.fileId = data.fileID;
      delete data.fileID;
    }),
  ),
  fault(
    'ST-META-STORE-FILE-ID',
    'it is null',
    ofGrant((data) => {
      data.storeFileID = null;
    }),
  ),
  fault(
    'ST-META-STORE-FILE-ID',
    'it is spelled storeFileId',
    ofGrant((data) => {
      data.storeFileId = data.storeFileID;
      delete data.storeFileID;
    }),
  ),
];

const repairing = (
  rule: Mutant['rule'],
  field: string,
  breaks: string,
  isTaken?: (value: string | undefined, known: string[]) => boolean,
  companions: Mutant['companions'] = [],
): Mutant =>
  fault(
    rule,
    breaks,
    () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, field, isTaken),
        answer: (answer, request) => grants.note(answer, request),
      };
    },
    companions,
  );

const FIELDS = [
  ['UP-SIGNATURE', 'Signature'],
  ['UP-TOKEN', 'x-store-security-token'],
  ['UP-META-FILE-ID', 'x-store-meta-fileid'],
  ['UP-KEY', 'key'],
] as const;

const startOf = (value = '') => value.slice(0, value.length / 2);

/** What upload targets make of forms. */
export const forms: readonly Mutant[] = [
  fault(
    'UP-FORM',
    'a form is answered well, and nothing is stored',
    (context) => ofStored((_, form) => deleteFile(context, keyOf(form))),
    ['UP-KEPT', 'UP-FILE', 'UP-FILE-ID', 'UP-URL-VERBATIM', 'UP-SUCCESS', 'UP-WHOLE', 'UP-BROKEN'],
  ),
  fault('UP-FORM', 'a quoted boundary is not found', {
    request: ({ isUpload, headers }) =>
      isUpload && /boundary="/.test(headers.get('Content-Type') ?? '')
        ? new MutatedAnswer(
            400,
            { 'Content-Type': 'application/xml' },
            '<Error><Code>MalformedPOSTRequest</Code></Error>',
          )
        : undefined,
  }),
  fault('UP-URL-VERBATIM', 'the address has a path that the target behind it does not know', {
    answer(answer, { operation }) {
      const { json } = answer;
      const data = json?.body?.data;
      if (operation !== 'getUploadMetaData' || !data?.url) return;
      data.url = `${data.url.replace(/\/$/, '')}/bucket%2Fone/?part=a%20b&x=1+2`;
      answer.json = json;
    },
    request(request) {
      if (!request.isUpload) return;
      if (request.target === '/') request.target = '/upload';
      else
        return new MutatedAnswer(
          404,
          { 'Content-Type': 'application/xml' },
          '<Error><Code>NoSuchBucket</Code></Error>',
        );
    },
  }),
  ...FIELDS.flatMap(([rule, field]) => [
    repairing(rule, field, 'any value is taken', (value) => value !== undefined && value !== ''),
    repairing(rule, field, 'it may be missing', (value) => value === undefined),
    repairing(rule, field, 'it may be empty', (value) => value === ''),
  ]),
  repairing('UP-SIGNATURE', 'Signature', 'it is compared by its first half', (value, known) =>
    known.some((one) => one !== value && startOf(one) === startOf(value)),
  ),
  ...FIELDS.map(([rule, field]) =>
    repairing(
      rule,
      field,
      'that of another grant is taken',
      (value, known) => !!value && known.includes(value),
    ),
  ),
  repairing('UP-KEY', 'key', 'a grant is good for every key below it', (value, known) =>
    known.some((one) => one !== value && value?.startsWith(one)),
  ),
];

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
