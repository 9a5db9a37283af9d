import { setTimeout as wait } from 'node:timers/promises';
import { type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { setBody } from './hooks/gateway.ts';
import { afterCopies, DELETE, GRANT, leaveOut, metadata } from './hooks/storage.ts';
import {
  afterUpload,
  brokenUpload,
  changeFile,
  keyOf,
  readForm,
  repairForms,
  uploadRequest,
} from './hooks/uploads.ts';
import type { Rows } from './mutant.ts';

/** Whether a grant, perhaps another one, has this value. */
const isKnown = (value: string | undefined, known: readonly string[]) =>
  value !== undefined && known.includes(value);
const startOf = (value = '') => value.slice(0, value.length / 2);

/** Returns the path that a grant is requested for. */
function grantedPath({ operation, json }: MutatedRequest): string | undefined {
  const path = Object(json).path;
  const isPlain = typeof path === 'string' && /^[\w/.-]+$/.test(path);
  return operation === GRANT && isPlain ? path : undefined;
}

/** An error of the upload target in the contract's format. */
const TOO_LARGE = '<Error><Code>EntityTooLarge</Code><Message>rejected</Message></Error>';

export const upload: Rows = {
  'UP-FORM: 15,001 bytes are rejected': uploadRequest(({ body }) =>
    body.length > 15_000
      ? new MutatedResponse(400, { 'Content-Type': 'application/xml' }, TOO_LARGE)
      : undefined,
  ),
  'UP-FORM: a form succeeds, but nothing is stored': ({ remove }) =>
    afterUpload((_, form) => remove(keyOf(form))),
  'UP-FIELDS/1: half of Signature is checked': repairForms('Signature', (value, known) =>
    known.some((other) => other !== value && startOf(other) === startOf(value)),
  ),
  'UP-FIELDS/2: the token is not checked': repairForms('x-store-security-token'),
  'UP-FIELDS/3: another fileID is accepted': repairForms('x-store-meta-fileid', isKnown),
  'UP-FIELDS/4: any key is accepted': repairForms('key', Boolean),
  'UP-FILE: a final line break is lost': changeFile((text) => text.replace(/\r\n$/, '')),
  'UP-FILE: other bytes than UTF-8 are lost': changeFile((text) =>
    Buffer.from(Buffer.from(text, 'latin1').toString()).toString('latin1'),
  ),
  'UP-RESPONSE/1: a rejected form gets a JSON error': {
    response(response, { isUpload }) {
      if (isUpload && response.status >= 400)
        setBody('{"code":"AccessDenied"}', 'application/json')(response);
    },
  },
  'UP-RESPONSE/2: an empty file gets an Error': afterUpload((response, form) => {
    if (form.get('file')?.length !== 0) return;
    response.status = 200;
    setBody('<Error><Code>EmptyFile</Code></Error>')(response);
  }),
  'UP-RESPONSE/2: an empty file is not stored': uploadRequest((request) =>
    readForm(request).get('file')?.length === 0 ? new MutatedResponse(204) : undefined,
  ),
  'UP-FILE-ID: IDs delete nothing': leaveOut(DELETE, (fileID) => ({ fileID, code: 'SUCCESS' })),
  'UP-FILE-ID: an ID belongs to no file': metadata((data) => {
    data.fileID += '#upload';
  }),
  'UP-WHOLE: half of a large file can be read': ({ store }) =>
    uploadRequest(async (request) => {
      if (request.body.length < 150_000) return;
      const form = readForm(request);
      const file = form.get('file') ?? Buffer.alloc(0);
      await store(keyOf(form), file.subarray(0, file.length / 2));
      await wait(300);
    }),
  'UP-WHOLE: a grant makes an empty file': ({ read, store }) => ({
    async response(_, call) {
      const path = grantedPath(call);
      if (path !== undefined && !(await read(path))) await store(path);
    },
  }),
  'UP-BROKEN: what arrived is stored': ({ store }) =>
    brokenUpload(async ({ headers }, form) => {
      if (form.has('file') && !headers.get('transfer-encoding'))
        await store(keyOf(form), form.get('file'));
    }),
  'UP-BROKEN: the previous file is deleted': ({ remove }) =>
    brokenUpload((_, form) => remove(keyOf(form))),
  'UP-KEPT: a failed copy deletes its destination': ({ remove }) =>
    afterCopies(({ dstPath }, entry) =>
      entry?.code === 'STORAGE_FILE_NONEXIST' ? remove(dstPath) : undefined,
    ),
  'UP-KEPT: a grant removes the file': ({ remove }) => ({
    async request(call) {
      const path = grantedPath(call);
      if (path !== undefined) await remove(path);
    },
  }),
};
