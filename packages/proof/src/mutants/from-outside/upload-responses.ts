import { type Mutant, type MutantContext, mutant, mutantsOf } from '../mutant.ts';
import { setBody } from '../support/gateway.ts';
import { deletions, entries, isOk, metadata, readsRequests } from '../support/storage.ts';
import {
  afterUpload,
  brokenUpload,
  deleteFile,
  fileIdOf,
  keyOf,
  pathOf,
  readFile,
  readForm,
  storeFile,
  uploadError,
  uploadRequest,
} from '../support/uploads.ts';

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

/**
 * Mutants that respond incorrectly to uploads or keep content that they must not store, as some real upload
 * targets do.
 */
export const uploadResponses: readonly Mutant[] = [
  ...mutantsOf('UP-ERROR', {
    'errors are JSON': uploadError(setBody('{"code":"AccessDenied"}', 'application/json')),
    'errors are HTML': uploadError(
      setBody('<html><body><h1>403 Forbidden</h1></body></html>', 'text/html'),
    ),
    'errors have no body': uploadError(setBody('')),
    'a malformed form gets no XML': uploadError((response) => {
      if (response.body.includes('Malformed')) setBody('Bad Request')(response);
    }),
    'the element is spelled error': uploadError((response) =>
      setBody(response.body.toString().replaceAll('Error>', 'error>'))(response),
    ),
  }),
  mutant(
    'UP-SUCCESS',
    'a success has an empty Error',
    afterUpload((response) => {
      response.status = 200;
      setBody('<PostResponse><Error/></PostResponse>', 'application/xml')(response);
    }),
  ),
  mutant(
    'UP-ERROR',
    'a rejected form gets 200 and an HTML page',
    uploadError((response) => {
      response.status = 200;
      setBody('<html>Sorry</html>', 'text/html')(response);
    }),
  ),
  mutant(
    'UP-FILE-ID',
    'it is replaced by another ID after the upload',
    metadata((data) => {
      data.fileID += '.tmp';
    }),
  ),
  mutant(
    'ST-DELETE-CODE',
    'a deletion by it finds nothing',
    deletions(isOk, { code: 'STORAGE_FILE_NONEXIST' }),
  ),
  mutant(
    'UP-WHOLE',
    'an empty file exists as soon as the grant is issued',
    onGrant('response', async (context, path) => {
      if (!(await exists(context, path))) await storeFile(context, path);
    }),
  ),
  mutant(
    'UP-KEPT',
    'a file is removed as soon as another grant is issued for its path',
    onGrant('request', deleteFile),
  ),
  ...mutantsOf('UP-BROKEN', {
    'the partial upload is kept': (context) =>
      brokenUpload(async (_, form) => {
        if (form.has('file')) await storeFile(context, keyOf(form), form.get('file'));
      }),
    'the previous file is emptied': (context) =>
      brokenUpload(async (_, form) => {
        if (await exists(context, keyOf(form))) await storeFile(context, keyOf(form));
      }),
    'the previous file is removed': (context) =>
      brokenUpload((_, form) => deleteFile(context, keyOf(form))),
  }),
  ...mutantsOf('UP-KEPT', {
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
  }),
];
