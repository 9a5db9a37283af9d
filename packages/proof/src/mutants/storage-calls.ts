import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import { setHeader } from './support/gateway.ts';
import {
  itemsOf,
  NO_ENTRIES,
  refuse,
  request,
  retarget,
  toStorageRefusal,
  toStorageResponse,
} from './support/storage.ts';

export const storageCalls: readonly Mutant[] = [
  mutant(
    'ST-PATH',
    'copies are at a different path',
    retarget((target) =>
      target.replace(/(?<=storages:)batchCopy(?:File)?$/, (name) =>
        name === 'batchCopy' ? 'batchCopyFile' : 'batchCopyFiles',
      ),
    ),
    ['ST-COPY-CALL'],
  ),
  ...mutantsOf('ST-PATH-EXACT', {
    'anything after the name of an operation is ignored': retarget((target) =>
      target.replace(/(?<=storages:batchDelete)[A-Z]\w*$/, ''),
    ),
    'the name of an operation may have a suffix': retarget((target) =>
      target.replace(/(?<=storages:\w+)\.json$/, ''),
    ),
  }),
  mutant(
    'ST-POST',
    'copies require PUT instead of POST',
    request('batchCopyFile', (call) => {
      if (call.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
      if (call.method === 'PUT') call.method = 'POST';
      return undefined;
    }),
    ['ST-COPY-CALL'],
  ),
  ...mutantsOf('ST-GET-REFUSED', {
    'upload metadata can be requested with GET': request('getUploadMetaData', (call) => {
      const path = new URLSearchParams(call.query).get('path');
      if (call.method !== 'GET' || path === null) return;
      call.method = 'POST';
      call.target = call.path;
      call.json = { path };
      call.headers.set('Content-Type', 'application/json');
      call.headers.set('Content-Length', String(call.body.length));
    }),
    'a GET of a list operation returns an empty list': request('batchGetTempUrls', ({ method }) =>
      method === 'GET' ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
  }),
  ...mutantsOf('ST-REQUEST-JSON', {
    'a content type with a charset is rejected': refuse(
      ({ operation, headers }) =>
        operation === 'batchDelete' && /charset/i.test(headers.get('Content-Type') ?? ''),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ),
    'escapes in JSON are not decoded': request('getUploadMetaData', (call) => {
      if (call.json === undefined) return;
      call.body = Buffer.from(call.body.toString().replaceAll('\\u', 'u'));
    }),
    'only the first piece of a body is read': request('batchGetTempUrls', (call) => {
      call.body = Buffer.from(call.pieces[0] ?? '');
    }),
  }),
  ...mutantsOf('ST-RESPONSE-JSON', {
    'the response to missing credentials is plain text': {
      response(response, { operation }) {
        if (operation === 'batchGetTempUrls' && response.status === 401)
          setHeader('Content-Type', 'text/plain')(response);
      },
    },
    'the response to a deletion has the content type text/json': {
      response(response, { operation }) {
        if (operation === 'batchDelete' && response.status === 200)
          setHeader('Content-Type', 'text/json')(response);
      },
    },
  }),
  mutant(
    'ST-REQUEST-FORM',
    'copies accept their fields only in data, all other calls only at the top level',
    refuse(({ operation, json }) =>
      operation === 'batchCopyFile' ? json?.fileList !== undefined : json?.data !== undefined,
    ),
    ['ST-COPY-CALL'],
  ),
  mutant(
    'ST-REQUEST-FORM',
    'copies with overwrite and without removeOriginal are rejected',
    refuse(
      (call) =>
        call.operation === 'batchCopyFile' &&
        itemsOf(call).some(
          ({ overwrite, removeOriginal }) => overwrite === true && removeOriginal === false,
        ),
    ),
  ),
  mutant(
    'ST-UNKNOWN-FIELDS',
    'an item with an unknown field is rejected',
    refuse(
      ({ operation, json }) =>
        operation === 'batchGetTempUrls' &&
        Array.isArray(json?.fileList) &&
        json.fileList.some((item: unknown) => Object.keys(Object(item)).includes('unknown')),
    ),
  ),
  mutant(
    'ST-REQUEST-FORM-ALIKE',
    'only the first item of a list inside data counts',
    request('batchGetTempUrls', (call) => {
      const list = call.json?.data?.fileList;
      if (Array.isArray(list)) call.json = { data: { fileList: list.slice(0, 1) } };
    }),
  ),
];
