import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { metadata } from './support/storage.ts';
import {
  changeFile,
  fileIdOf,
  keyOf,
  readFile,
  readForm,
  repairForms,
  toUploadError,
  uploadRequest,
} from './support/uploads.ts';

export const upload: readonly Mutant[] = [
  ...mutantsOf('UP-FORM', {
    'a form of more than 15,000 bytes is rejected': uploadRequest(({ body }) =>
      body.length > 15_000 ? toUploadError(400, 'EntityTooLarge') : undefined,
    ),
    'a form for an existing file is rejected': (context) =>
      uploadRequest(async (request) => {
        const form = readForm(request);
        const exists =
          form.has('key') && (await readFile(context, await fileIdOf(context, keyOf(form))));
        return exists ? toUploadError(403, 'AccessDenied') : undefined;
      }),
  }),
  mutant('UP-URL-VERBATIM', 'the returned url does not accept forms', {
    ...metadata((data) => {
      data.url = new URL('/bucket/put?grant=1', data.url).href;
    }),
    ...uploadRequest((request) => {
      if (request.path !== '/') return toUploadError(404, 'AccessDenied');
      request.target = '/upload';
      return undefined;
    }),
  }),
  mutant(
    'UP-SIGNATURE',
    'a form without Signature is stored',
    repairForms('Signature', (value) => value === undefined),
  ),
  mutant(
    'UP-SIGNATURE',
    'a form with the Signature from another grant is stored',
    repairForms('Signature', Boolean),
    ['UP-FILE'],
  ),
  mutant('UP-TOKEN', 'the token in a form is not checked', repairForms('x-store-security-token'), [
    'UP-FILE',
  ]),
  mutant(
    'UP-TOKEN',
    'a form with an empty token is stored',
    repairForms('x-store-security-token', (value) => value === ''),
  ),
  mutant(
    'UP-META-FILE-ID',
    'the meta file ID in a form is not checked',
    repairForms('x-store-meta-fileid'),
  ),
  mutant(
    'UP-KEY',
    'a form with a wrong key is stored under the right key',
    repairForms('key', Boolean),
    ['UP-FILE'],
  ),
  mutant(
    'UP-KEY',
    'a form without a key is stored',
    repairForms('key', (value) => value === undefined),
  ),
  ...mutantsOf('UP-FILE', {
    'a line break at the end of a file is lost': changeFile((text) => text.replace(/\r\n$/, '')),
    'a byte order mark at the beginning of a file is lost': changeFile((text) =>
      text.replace(/^\xef\xbb\xbf/, ''),
    ),
  }),
];
