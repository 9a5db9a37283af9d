import { type Hooks, type Json, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { drop, type Patch, replace, setBody } from './support/gateway.ts';
import {
  COPY,
  DELETE,
  failure,
  GRANT,
  isObject,
  itemsOf,
  LINKS,
  NO_ENTRIES,
  OPERATIONS,
  type Operation,
  refuse,
  request,
  retarget,
  success,
  toStorageRefusal,
  toStorageResponse,
} from './support/storage.ts';

/** Changes the items of calls whose fields are inside `data`. */
const inData = (
  operation: Operation,
  change: (items: Json[], call: MutatedRequest) => Json[] | undefined,
): Hooks =>
  request(operation, (call) => {
    const { json } = call;
    const given = json?.data?.fileList;
    if (!Array.isArray(given)) return;
    const isSound = given.every((item) => typeof item === 'string' || Object(item) === item);
    const changed = isSound ? change(given, call) : undefined;
    if (changed) call.json = { data: { ...json.data, fileList: changed } };
  });

const refuseType = (isRefused: (type: string, operation: string) => unknown) =>
  refuse(
    ({ headers, operation = '' }) => isRefused(headers.get('Content-Type') ?? '', operation),
    415,
  );

const withType =
  (type: string): Patch =>
  (_, { headers }) =>
    headers.set('Content-Type', type);

export const storageCalls: Rows = {
  'ST-PATH': {
    'copies are at a different path': [
      retarget(
        replace(/(?<=storages:)batchCopy(?:File)?$/, (name) =>
          name === 'batchCopy' ? COPY : 'batchCopyFiles',
        ),
      ),
      'ST-COPY-CALL',
    ],
  },
  'ST-PATH-EXACT': {
    'anything after the name of an operation is ignored': retarget(
      drop(/(?<=storages:batchDelete)[A-Z]\w*$/),
    ),
    'the name of an operation may have a suffix': retarget(drop(/(?<=storages:\w+)\.json$/)),
    'an operation followed by a number is accepted': retarget(
      drop(new RegExp(`(?<=storages:(${OPERATIONS.join('|')}))\\d+`)),
    ),
  },
  'ST-POST': {
    'copies require PUT instead of POST': [
      request(COPY, (call) => {
        if (call.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
        if (call.method === 'PUT') call.method = 'POST';
        return undefined;
      }),
      'ST-COPY-CALL',
    ],
  },
  'ST-GET-REFUSED': {
    'upload metadata can be requested with GET': request(GRANT, (call) => {
      const path = new URLSearchParams(call.query).get('path');
      if (call.method !== 'GET' || path === null) return;
      call.method = 'POST';
      call.target = call.path;
      call.json = { path };
      call.headers.set('Content-Type', 'application/json');
      call.headers.set('Content-Length', String(call.body.length));
    }),
    'a GET of a list operation returns an empty list': request(LINKS, ({ method }) =>
      method === 'GET' ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
    'a GET gets an HTML page': {
      request: ({ method, operation }) =>
        method === 'GET' && operation
          ? new MutatedResponse(200, { 'Content-Type': 'text/html' }, '<h1>It works!</h1>')
          : undefined,
    },
    'a GET of batchDelete succeeds without doing anything': request(DELETE, ({ method }) =>
      method === 'GET' ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
  },
  'ST-REQUEST-JSON': {
    'a content type with a charset is rejected': refuse(
      ({ operation, headers }) =>
        operation === DELETE && /charset/i.test(headers.get('Content-Type') ?? ''),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ),
    'escapes in JSON are not decoded': request(GRANT, (call) => {
      if (call.json === undefined) return;
      call.body = Buffer.from(call.body.toString().replaceAll('\\u', 'u'));
    }),
    'only the first piece of a body is read': request(LINKS, (call) => {
      call.body = Buffer.from(call.pieces[0] ?? '');
    }),
    'a charset without a space before it is rejected': refuseType((type) => /json;\S/i.test(type)),
    'a copy with a charset is rejected': refuseType(
      (type, operation) => operation === COPY && /charset/i.test(type),
    ),
    'an upper-case content type is rejected': refuseType((type) => /^[^;]*[A-Z]/.test(type)),
  },
  'ST-RESPONSE-JSON': {
    'the response to missing credentials is plain text': failure(withType('text/plain'), 401),
    'the response to a deletion has the content type text/json': success(
      withType('text/json'),
      DELETE,
    ),
    'failures are text/plain': failure(withType('text/plain')),
    'a copy has the content type text/json': success(withType('text/json'), COPY),
    'an unknown operation gets an HTML page': {
      response(response, { path }) {
        if (path.startsWith('/api/') && response.status === 404)
          setBody('<h1>Not Found</h1>', 'text/html')(response);
      },
    },
  },
  'ST-REQUEST-FORM': {
    'copies accept their fields only in data, all other calls only at the top level': [
      refuse(({ operation, json }) =>
        operation === COPY ? json?.fileList !== undefined : json?.data !== undefined,
      ),
      'ST-COPY-CALL',
    ],
    'copies with overwrite and without removeOriginal are rejected': refuse(
      (call) =>
        call.operation === COPY &&
        itemsOf(call).some(
          ({ overwrite, removeOriginal }) => overwrite === true && removeOriginal === false,
        ),
    ),
    'a deletion needs its fields in data, all other calls at the top level': refuse(
      ({ operation, json }) => isObject(json) && (operation === DELETE) !== 'data' in json,
    ),
  },
  'ST-UNKNOWN-FIELDS': {
    'an item with an unknown field is rejected': refuse(
      ({ operation, json }) =>
        operation === LINKS &&
        Array.isArray(json?.fileList) &&
        json.fileList.some((item: unknown) => Object.keys(Object(item)).includes('unknown')),
    ),
    'an unknown field of a call is rejected': refuse(({ json }) =>
      Object.keys(json ?? {}).some((key) => !['path', 'fileList', 'data'].includes(key)),
    ),
  },
  'ST-REQUEST-FORM-ALIKE': {
    'only the first item of a list inside data counts': inData(LINKS, (all) => all.slice(0, 1)),
    'overwrite false inside data is ignored': inData(COPY, (all) =>
      all.map((item) => ({ ...item, overwrite: true })),
    ),
    'removeOriginal inside data is ignored': inData(COPY, (all) =>
      all.map((item) => ({ ...item, removeOriginal: false })),
    ),
    'only the first file inside data is deleted': leaveOutInData(DELETE, (fileID) => ({
      fileID,
      code: 'SUCCESS',
    })),
    'only the first file inside data is copied': leaveOutInData(COPY, () => ({})),
    'a missing field inside data is not rejected': request(DELETE, (call) => {
      if (call.json?.data && call.json.data.fileList === undefined)
        call.json = { data: { fileList: [] } };
    }),
    'a path inside data is read without its extension': request(GRANT, (call) => {
      const path = call.json?.data?.path;
      if (typeof path === 'string') call.json = { data: { path: path.replace(/\.\w+$/, '') } };
    }),
  },
};

/** Leaves all items but the first out of calls whose fields are inside `data`. */
function leaveOutInData(operation: Operation, toEntry: (item: Json) => object): Hooks {
  const left = new WeakMap<object, Json[]>();
  return {
    ...inData(operation, (all, call) => {
      left.set(call, all.slice(1));
      return all.slice(0, 1);
    }),
    response(response, call) {
      const { json } = response;
      const given = json?.body?.data?.fileList;
      if (!Array.isArray(given)) return;
      given.push(...(left.get(call) ?? []).map(toEntry));
      response.json = json;
    },
  };
}
