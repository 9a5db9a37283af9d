import {
  afterUpload,
  changeFile,
  keyOf,
  repairForms,
  toUploadError,
  uploadRequest,
} from './hooks/uploads.ts';
import type { Rows } from './mutant.ts';

/** Whether a grant, perhaps another one, has this value. */
const isKnown = (value: string | undefined, known: readonly string[]) =>
  value !== undefined && known.includes(value);
const startOf = (value = '') => value.slice(0, value.length / 2);

export const upload: Rows = {
  'UP-FORM: a form of more than 15,000 bytes is rejected': uploadRequest(({ body }) =>
    body.length > 15_000 ? toUploadError(400, 'EntityTooLarge') : undefined,
  ),
  'UP-FORM: a form succeeds, but nothing is stored': ({ remove }) =>
    afterUpload((_, form) => remove(keyOf(form))),
  'UP-FIELDS/1: a form without Signature is stored': repairForms(
    'Signature',
    (value) => value === undefined,
  ),
  'UP-FIELDS/1: only its first half is checked': repairForms('Signature', (value, known) =>
    known.some((one) => one !== value && startOf(one) === startOf(value)),
  ),
  'UP-FIELDS/2: the token in a form is not checked': repairForms('x-store-security-token'),
  'UP-FIELDS/3: the meta file ID of another grant is accepted': repairForms(
    'x-store-meta-fileid',
    isKnown,
  ),
  'UP-FIELDS/4: a form with a wrong key is stored under the right key': repairForms('key', Boolean),
  'UP-FILE: a line break at the end of a file is lost': changeFile((text) =>
    text.replace(/\r\n$/, ''),
  ),
  'UP-FILE: bytes that are not UTF-8 are replaced': changeFile((text) =>
    Buffer.from(Buffer.from(text, 'latin1').toString()).toString('latin1'),
  ),
};
