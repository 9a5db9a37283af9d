import type { Mutant, Rows } from './mutant.ts';
import { drop, replace } from './support/gateway.ts';
import { metadata } from './support/storage.ts';
import {
  afterUpload,
  changeFile,
  keyOf,
  readForm,
  repairForms,
  toUploadError,
  uploadRequest,
  writeForm,
} from './support/uploads.ts';

const ofField = (field: string): Record<string, Mutant['create']> => ({
  'any value is accepted': repairForms(field, Boolean),
  'it may be missing': repairForms(field, (value) => value === undefined),
  'it may be empty': repairForms(field, (value) => value === ''),
  'that of another grant is accepted': repairForms(
    field,
    (value, known) => value && known.includes(value),
  ),
});
const startOf = (value = '') => value.slice(0, value.length / 2);

export const upload: Rows = {
  'UP-FORM': {
    'a form of more than 15,000 bytes is rejected': uploadRequest(({ body }) =>
      body.length > 15_000 ? toUploadError(400, 'EntityTooLarge') : undefined,
    ),
    'a form for an existing file is rejected': ({ read }) =>
      uploadRequest(async (request) => {
        const form = readForm(request);
        const exists = form.has('key') && (await read(keyOf(form)));
        return exists ? toUploadError(403, 'AccessDenied') : undefined;
      }),
    'a form succeeds, but nothing is stored': ({ remove }) =>
      afterUpload((_, form) => remove(keyOf(form))),
    'a quoted boundary is not found': uploadRequest(({ headers }) =>
      /boundary="/.test(headers.get('Content-Type') ?? '')
        ? toUploadError(400, 'MalformedPOSTRequest')
        : undefined,
    ),
  },
  'UP-URL-VERBATIM': {
    'the returned url does not accept forms': [
      {
        ...metadata((data) => {
          data.url = new URL('/bucket/put?grant=1', data.url).href;
        }),
        ...uploadRequest((request) => {
          if (request.path !== '/') return toUploadError(404, 'AccessDenied');
          request.target = '/upload';
          return undefined;
        }),
      },
      'ST-REQUEST-FORM-ALIKE',
    ],
  },
  'UP-SIGNATURE': {
    'a form without Signature is stored': repairForms('Signature', (value) => value === undefined),
    'only its first half is checked': repairForms('Signature', (value, known) =>
      known.some((one) => one !== value && startOf(one) === startOf(value)),
    ),
    ...ofField('Signature'),
  },
  'UP-TOKEN': {
    'the token in a form is not checked': [repairForms('x-store-security-token'), 'UP-FILE'],
    ...ofField('x-store-security-token'),
  },
  'UP-META-FILE-ID': {
    'the meta file ID in a form is not checked': repairForms('x-store-meta-fileid'),
    ...ofField('x-store-meta-fileid'),
  },
  'UP-KEY': {
    'a form with a wrong key is stored under the right key': [
      repairForms('key', Boolean),
      'UP-FILE',
    ],
    ...ofField('key'),
    'a grant is valid for every key below it': repairForms('key', (value, known) =>
      known.some((one) => one !== value && value?.startsWith(one)),
    ),
  },
  'UP-FILE': {
    'a line break at the end of a file is lost': changeFile(drop(/\r\n$/)),
    'a byte order mark at the beginning of a file is lost': changeFile(drop(/^\xef\xbb\xbf/)),
    'a trailing LF is lost': changeFile(drop(/\n$/)),
    'CRLF becomes LF': changeFile(replace('\r\n', '\n')),
    'LF becomes CRLF': changeFile(replace(/(?<!\r)\n/g, '\r\n')),
    'it ends at two hyphens after a CRLF': changeFile(drop(/\r\n--[\s\S]*/)),
    'it ends at a zero byte': changeFile(drop(/\0[\s\S]*/)),
    'white space around it is lost': changeFile((text) => text.trim()),
    'an empty file becomes one byte': changeFile((text) => text || '\0'),
    'a trailing zero byte is lost': changeFile(drop(/\0$/)),
    'a byte 0x1A ends it': changeFile((text) => text.split('\x1a', 1)[0] ?? ''),
    'a plus becomes a space': changeFile(replace('+', ' ')),
    'bytes that are not UTF-8 are replaced': changeFile((text) =>
      Buffer.from(Buffer.from(text, 'latin1').toString()).toString('latin1'),
    ),
    'escapes are decoded': changeFile(
      replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))),
    ),
    'a line like the boundary truncates it': uploadRequest((request) => {
      const type = request.headers.get('content-type') ?? '';
      const boundary = /boundary="?([^";]+)/.exec(type)?.[1] ?? '-';
      const form = readForm(request);
      const text = form.get('file')?.toString('latin1') ?? '';
      const at = text.indexOf(`--${boundary.slice(0, -1)}`);
      if (at >= 0) writeForm(request, form.set('file', Buffer.from(text.slice(0, at), 'latin1')));
    }),
  },
};
