import type { Json } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import { metadata, refuse } from '../support/storage.ts';
import {
  afterUpload,
  changeFile,
  deleteFile,
  keyOf,
  readForm,
  repairForms,
  toUploadError,
  uploadRequest,
  writeForm,
} from '../support/uploads.ts';

/** Returns the path that a grant is requested for. */
const pathOfGrant = (operation: string | undefined, json: Json) =>
  operation === 'getUploadMetaData' ? (json?.data ?? json)?.path : undefined;

/** Mutants that return incorrect upload metadata, as some real storage services do. */
export const grants: readonly Mutant[] = [
  ...mutantsOf('ST-META-CALL', {
    'only the first directory may hold files': refuse(
      ({ operation, json }) => String(pathOfGrant(operation, json)).split('/').length > 2,
    ),
    'an existing file gets no second grant': () => {
      const seen = new Set<string>();
      return refuse(({ operation, json }) => {
        const path = pathOfGrant(operation, json);
        if (typeof path !== 'string') return false;
        const isSecond = seen.has(path);
        seen.add(path);
        return isSecond;
      });
    },
  }),
  ...mutantsOf('ST-META-URL', {
    'it lacks the scheme': metadata((data) => {
      data.url = data.url?.replace(/^http:/, '');
    }),
    'it is a path': metadata((data) => {
      data.url = new URL(data.url).pathname;
    }),
  }),
  ...mutantsOf('ST-META-TOKEN', {
    'it is null': metadata({ token: null }),
    'it is missing': metadata({ token: undefined }),
  }),
  ...mutantsOf('ST-META-AUTHORIZATION', {
    'it is an object': metadata((data) => {
      data.authorization = { value: data.authorization };
    }),
    'it is missing': metadata({ authorization: undefined }),
  }),
  ...mutantsOf('ST-META-FILE-ID', {
    'it is a number': metadata({ fileID: 4 }),
    'it is spelled fileId': metadata((data) => {
      Object.assign(data, { fileId: data.fileID, fileID: undefined });
    }),
  }),
  ...mutantsOf('ST-META-STORE-FILE-ID', {
    'it is null': metadata({ storeFileID: null }),
    'it is spelled storeFileId': metadata((data) => {
      Object.assign(data, { storeFileId: data.storeFileID, storeFileID: undefined });
    }),
  }),
];

const FIELDS = [
  ['UP-SIGNATURE', 'Signature'],
  ['UP-TOKEN', 'x-store-security-token'],
  ['UP-META-FILE-ID', 'x-store-meta-fileid'],
  ['UP-KEY', 'key'],
] as const;

const startOf = (value = '') => value.slice(0, value.length / 2);

/** Mutants that handle upload forms incorrectly, as some real upload targets do. */
export const forms: readonly Mutant[] = [
  ...mutantsOf('UP-FORM', {
    'a form succeeds, but nothing is stored': (context) =>
      afterUpload((_, form) => deleteFile(context, keyOf(form))),
    'a quoted boundary is not found': uploadRequest(({ headers }) =>
      /boundary="/.test(headers.get('Content-Type') ?? '')
        ? toUploadError(400, 'MalformedPOSTRequest')
        : undefined,
    ),
  }),
  mutant('UP-URL-VERBATIM', 'the url has a path that the target does not know', {
    ...metadata((data) => {
      data.url = `${data.url.replace(/\/$/, '')}/bucket%2Fone/?part=a%20b&x=1+2`;
    }),
    ...uploadRequest((request) => {
      if (request.target !== '/') return toUploadError(404, 'NoSuchBucket');
      request.target = '/upload';
      return undefined;
    }),
  }),
  ...FIELDS.flatMap(([rule, field]) => [
    mutant(rule, 'any value is accepted', repairForms(field, Boolean)),
    mutant(
      rule,
      'it may be missing',
      repairForms(field, (value) => value === undefined),
    ),
    mutant(
      rule,
      'it may be empty',
      repairForms(field, (value) => value === ''),
    ),
  ]),
  mutant(
    'UP-SIGNATURE',
    'only its first half is checked',
    repairForms('Signature', (value, known) =>
      known.some((one) => one !== value && startOf(one) === startOf(value)),
    ),
  ),
  ...FIELDS.map(([rule, field]) =>
    mutant(
      rule,
      'that of another grant is accepted',
      repairForms(field, (value, known) => value && known.includes(value)),
    ),
  ),
  mutant(
    'UP-KEY',
    'a grant is valid for every key below it',
    repairForms('key', (value, known) =>
      known.some((one) => one !== value && value?.startsWith(one)),
    ),
  ),
];

const onFile = (breaks: string, change: (text: string) => string): Mutant =>
  mutant('UP-FILE', breaks, changeFile(change));

/** Mutants that change a file's bytes, as some real upload targets do. */
export const contents: readonly Mutant[] = [
  onFile('a trailing CRLF is lost', (text) => text.replace(/\r\n$/, '')),
  onFile('a trailing LF is lost', (text) => text.replace(/\n$/, '')),
  onFile('CRLF becomes LF', (text) => text.replaceAll('\r\n', '\n')),
  onFile('LF becomes CRLF', (text) => text.replace(/(?<!\r)\n/g, '\r\n')),
  onFile('it ends at two hyphens after a CRLF', (text) => text.replace(/\r\n--[\s\S]*/, '')),
  onFile('a byte order mark is lost', (text) => text.replace(/^\xef\xbb\xbf/, '')),
  onFile('it ends at a zero byte', (text) => text.replace(/\0[\s\S]*/, '')),
  onFile('it is truncated to 65,536 bytes', (text) => text.slice(0, 65_536)),
  onFile('it is truncated to 16,384 bytes', (text) => text.slice(0, 16_384)),
  onFile('white space around it is lost', (text) => text.trim()),
  onFile('an empty file becomes one byte', (text) => text || '\0'),
  onFile('a trailing zero byte is lost', (text) => text.replace(/\0$/, '')),
  onFile('a byte 0x1A ends it', (text) => text.split('\x1a', 1)[0] ?? ''),
  onFile('a plus becomes a space', (text) => text.replaceAll('+', ' ')),
  onFile('bytes that are not UTF-8 are replaced', (text) =>
    Buffer.from(Buffer.from(text, 'latin1').toString()).toString('latin1'),
  ),
  onFile('escapes are decoded', (text) =>
    text.replace(/%[\da-f]{2}/gi, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    ),
  ),
  mutant(
    'UP-FILE',
    'a line like the boundary truncates it',
    uploadRequest((request) => {
      const type = request.headers.get('content-type') ?? '';
      const boundary = /boundary="?([^";]+)/.exec(type)?.[1] ?? '-';
      const form = readForm(request);
      const text = form.get('file')?.toString('latin1') ?? '';
      const at = text.indexOf(`--${boundary.slice(0, -1)}`);
      if (at >= 0) writeForm(request, form.set('file', Buffer.from(text.slice(0, at), 'latin1')));
    }),
  ),
];
