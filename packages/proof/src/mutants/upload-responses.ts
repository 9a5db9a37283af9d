import { setTimeout as wait } from 'node:timers/promises';
import { type Hooks, MutatedResponse } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { setBody } from './support/gateway.ts';
import { afterCopies, entries, itemsOf, metadata, readsRequests } from './support/storage.ts';
import {
  afterUpload,
  brokenUpload,
  deleteFile,
  fileIdOf,
  keyOf,
  pathOf,
  plainPath,
  readFile,
  readForm,
  storeFile,
  uploadError,
  uploadRequest,
  writeForm,
} from './support/uploads.ts';

/** How long an upload waits for another with the same key, in milliseconds. */
const LONGEST = 300;

/** Makes the copy share whatever happens to the source. */
const alias =
  (onUpload: boolean, onDelete: boolean): Mutant['create'] =>
  (context): Hooks => {
    const sources = new Map<string, string>();
    return {
      ...readsRequests,
      async response(response, call) {
        const entries = response.json?.body?.data?.fileList ?? [];
        if (call.operation === 'batchCopyFile') {
          for (const [index, { srcPath, dstPath, removeOriginal }] of itemsOf(call).entries())
            if (entries[index] && !entries[index].code && !removeOriginal)
              sources.set(plainPath(dstPath), plainPath(srcPath));
        }
        const form = onUpload && call.isUpload && response.status < 300 && readForm(call);
        const deleted = onDelete && call.operation === 'batchDelete' ? itemsOf(call) : [];
        for (const [copy, source] of sources) {
          if (form && keyOf(form) === source) await storeFile(context, copy, form.get('file'));
          if (deleted.some((id) => id.endsWith(`/${source}`))) await deleteFile(context, copy);
        }
      },
    };
  };

/** Acts on the path of a grant, when it is requested or after its response. */
const onGrant =
  (
    when: 'request' | 'response',
    act: (context: MutantContext, path: string) => Promise<void>,
  ): Mutant['create'] =>
  (context) => {
    const look = async ({ operation, json }: { operation: string | undefined; json: unknown }) => {
      const path = Object(json).path;
      const isPlain = typeof path === 'string' && /^[\w/.-]+$/.test(path);
      if (operation === 'getUploadMetaData' && isPlain) await act(context, path);
    };
    return when === 'request'
      ? { request: look }
      : { ...readsRequests, response: (_, call) => look(call) };
  };

const exists = async (context: MutantContext, path: string) =>
  (await readFile(context, await fileIdOf(context, path))) !== undefined;

export const uploadResponses: Rows = {
  'UP-ERROR': {
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
    'errors are HTML': uploadError(
      setBody('<html><body><h1>403 Forbidden</h1></body></html>', 'text/html'),
    ),
    'a malformed form gets no XML': uploadError((response) => {
      if (response.body.includes('Malformed')) setBody('Bad Request')(response);
    }),
    'the element is spelled error': uploadError((response) =>
      setBody(response.body.toString().replaceAll('Error>', 'error>'))(response),
    ),
    'a rejected form gets 200 and an HTML page': uploadError((response) => {
      response.status = 200;
      setBody('<html>Sorry</html>', 'text/html')(response);
    }),
  },
  'UP-SUCCESS': {
    'an empty file is stored, but the response has an Error': afterUpload((response, form) => {
      if (form.get('file')?.length !== 0) return;
      response.status = 200;
      setBody('<Error><Code>EmptyFile</Code></Error>')(response);
    }),
    'an empty file is not stored, but the response is a success': uploadRequest((request) =>
      readForm(request).get('file')?.length === 0 ? new MutatedResponse(204) : undefined,
    ),
    'a success has an empty Error': afterUpload((response) => {
      response.status = 200;
      setBody('<PostResponse><Error/></PostResponse>', 'application/xml')(response);
    }),
  },
  'UP-FILE-ID': {
    'the returned fileID does not belong to any file': metadata((data) => {
      data.fileID += '#upload';
    }),
  },
  'UP-WHOLE': {
    'half of a large file can be read while the rest is still being written': (context) =>
      uploadRequest(async (request) => {
        if (request.body.length < 150_000) return;
        const form = readForm(request);
        const file = form.get('file') ?? Buffer.alloc(0);
        await storeFile(context, keyOf(form), file.subarray(0, file.length / 2));
        await wait(300);
      }),
    'an empty file exists as soon as the grant is issued': onGrant(
      'response',
      async (context, path) => {
        if (!(await exists(context, path))) await storeFile(context, path);
      },
    ),
  },
  'UP-BROKEN': {
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
    'the previous file is emptied': (context) =>
      brokenUpload(async (_, form) => {
        if (await exists(context, keyOf(form))) await storeFile(context, keyOf(form));
      }),
  },
  'UP-KEPT': {
    'a failed copy deletes its destination': (context) =>
      afterCopies(async ({ dstPath }, entry) => {
        if (entry?.code === 'STORAGE_FILE_NONEXIST') await deleteFile(context, dstPath);
      }),
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
    'a copy changes with its source': alias(true, false),
    'a copy is removed with its source': alias(false, true),
    'old content is served from a cache': () => {
      const cache = new Map<string, Buffer>();
      return {
        response(response, { isDownload, path }) {
          if (!isDownload || response.status !== 200) return;
          const cached = cache.get(path);
          if (cached) response.body = cached;
          else cache.set(path, response.body);
        },
      };
    },
    'a file is removed as soon as another grant is issued for its path': onGrant(
      'request',
      deleteFile,
    ),
    'a file can be read only once': (context) => ({
      async response(response, { isDownload, path }) {
        if (isDownload && response.status === 200)
          await deleteFile(
            context,
            decodeURIComponent(path).replace(/^\/files\/[^/]*\/files\//, ''),
          );
      },
    }),
    'a file that is uploaded again keeps its old content': (context) => {
      const first = new Map<string, Buffer>();
      return afterUpload(async (_, form) => {
        const key = keyOf(form);
        const old = first.get(key);
        if (old) await storeFile(context, key, old);
        else first.set(key, form.get('file') ?? Buffer.alloc(0));
      });
    },
    'a file can be read only some time after the response': () => {
      const stored = new Map<string, number>();
      const isNew = ({ fileID }: { fileID: string }) =>
        Date.now() - (stored.get(pathOf(fileID)) ?? 0) < 100;
      return {
        ...entries('batchGetTempUrls', isNew, { code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' }),
        ...uploadRequest((call) => {
          stored.set(keyOf(readForm(call)), Date.now());
        }),
      };
    },
  },
};
