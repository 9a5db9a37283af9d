import { setTimeout as wait } from 'node:timers/promises';
import { MutatedResponse } from '../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { setBody } from './support/gateway.ts';
import { afterCopies, itemsOf, metadata } from './support/storage.ts';
import {
  afterUpload,
  brokenUpload,
  deleteFile,
  fileIdOf,
  keyOf,
  readForm,
  storeFile,
  uploadError,
  uploadRequest,
  writeForm,
} from './support/uploads.ts';

/** How long an upload waits for another with the same key, in milliseconds. */
const LONGEST = 300;

export const uploadResponses: readonly Mutant[] = [
  ...mutantsOf('UP-ERROR', {
    'a rejected form gets a JSON error': uploadError(
      setBody('{"code":"AccessDenied"}', 'application/json'),
    ),
    'a form without a key is rejected without a body': uploadError((response, form) => {
      if (!form.has('key')) setBody('')(response);
    }),
    'JSON instead of a form is rejected as plain text': uploadRequest(({ headers }) =>
      headers.get('Content-Type') === 'application/json'
        ? new MutatedResponse(415, { 'Content-Type': 'text/plain' }, 'Send a form.')
        : undefined,
    ),
    'a form without its end is a success that stores nothing': uploadRequest(({ body }) =>
      body.includes('name="file"') && !body.toString('latin1').endsWith('--\r\n')
        ? new MutatedResponse(204)
        : undefined,
    ),
  }),
  ...mutantsOf('UP-SUCCESS', {
    'an empty file is stored, but the response has an Error': afterUpload((response, form) => {
      if (form.get('file')?.length !== 0) return;
      response.status = 200;
      setBody('<Error><Code>EmptyFile</Code></Error>')(response);
    }),
    'an empty file is not stored, but the response is a success': uploadRequest((request) =>
      readForm(request).get('file')?.length === 0 ? new MutatedResponse(204) : undefined,
    ),
  }),
  mutant(
    'UP-FILE-ID',
    'the returned fileID does not belong to any file',
    metadata((data) => {
      data.fileID += '#upload';
    }),
  ),
  mutant(
    'UP-WHOLE',
    'half of a large file can be read while the rest is still being written',
    (context) =>
      uploadRequest(async (request) => {
        if (request.body.length < 150_000) return;
        const form = readForm(request);
        const file = form.get('file') ?? Buffer.alloc(0);
        await storeFile(context, keyOf(form), file.subarray(0, file.length / 2));
        await wait(300);
      }),
  ),
  ...mutantsOf('UP-BROKEN', {
    'an interrupted upload is partially stored': (context) =>
      brokenUpload(async ({ headers }, form) => {
        if (form.has('file') && !headers.get('transfer-encoding'))
          await storeFile(context, keyOf(form), form.get('file'));
      }),
    'an interrupted chunked upload is partially stored': (context) =>
      brokenUpload(async ({ headers }, form) => {
        if (form.has('file') && headers.get('transfer-encoding'))
          await storeFile(context, keyOf(form), form.get('file'));
      }),
    'an interrupted upload deletes the previous file': (context) =>
      brokenUpload((_, form) => deleteFile(context, keyOf(form))),
  }),
  ...mutantsOf('UP-KEPT', {
    'a failed copy deletes its destination': (context) =>
      afterCopies(async ({ dstPath }, entry) => {
        if (entry?.code === 'STORAGE_FILE_NONEXIST') await deleteFile(context, dstPath);
      }),
    'a copy is deleted along with its source': (context) => {
      const copies = new Map<string, string>();
      return {
        async request(request) {
          if (request.operation === 'batchCopyFile') {
            for (const { srcPath, dstPath, removeOriginal } of itemsOf(request)) {
              if (srcPath && dstPath && !removeOriginal)
                copies.set(await fileIdOf(context, srcPath), dstPath);
            }
          }
          if (request.operation !== 'batchDelete') return;
          for (const id of itemsOf(request)) {
            const copy = copies.get(id);
            if (copy !== undefined) await deleteFile(context, copy);
          }
        },
      };
    },
    'two simultaneous uploads of a file are mixed up with each other': () => {
      const underWay = new Map<string, { file: Buffer; met: (file: Buffer) => void }>();
      return uploadRequest(async (request) => {
        if (request.body.length < 25_000) return;
        const form = readForm(request);
        const key = keyOf(form);
        const file = form.get('file') ?? Buffer.alloc(0);
        const other = underWay.get(key);
        other?.met(file);
        const meeting = Promise.withResolvers<Buffer>();
        if (!other) underWay.set(key, { file, met: meeting.resolve });
        const second = other?.file ?? (await Promise.race([meeting.promise, wait(LONGEST)]));
        underWay.delete(key);
        if (second) writeForm(request, form.set('file', Buffer.concat([file, second])));
      });
    },
  }),
];
