import { type Json, MutatedResponse } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import { setBody } from '../support/gateway.ts';
import {
  failure,
  isObject,
  NO_ENTRIES,
  OPERATIONS,
  refuse,
  request,
  retarget,
  success,
  toStorageResponse,
} from '../support/storage.ts';

const hasItem = (json: Json, isWanted: (item: Json) => boolean) =>
  Array.isArray(json?.fileList) && json.fileList.some(isWanted);
const hasField = (json: Json) => 'path' in (json.data ?? json) || 'fileList' in (json.data ?? json);
const FIELDS = ['fileID', 'maxAge', 'srcPath', 'dstPath', 'overwrite', 'removeOriginal'];

const refuseType = (breaks: string, isRefused: (type: string, operation: string) => unknown) =>
  mutant(
    'ST-REQUEST-JSON',
    breaks,
    refuse(
      ({ headers, operation = '' }) => isRefused(headers.get('Content-Type') ?? '', operation),
      415,
    ),
  );

/** Accepts a value of another type as if it were valid. */
const coerce = (
  breaks: string,
  isWrong: (json: Json) => unknown,
  toRight: (json: Json) => object,
) =>
  mutant('ST-WRONG-TYPE', breaks, {
    request(call) {
      if (isWrong(call.json)) call.json = toRight(call.json);
    },
  });

const isText = (name: string) => (json: Json) =>
  hasItem(json, (item) => typeof item?.[name] === 'string');

const prefix = (after: string) =>
  retarget((target) =>
    target.replace(new RegExp(`(storages:(?:${OPERATIONS.join('|')}))${after}`), '$1'),
  );

/** Mutants that reject valid storage calls or accept invalid ones, as some real storage services do. */
export const storageCalls: readonly Mutant[] = [
  ...mutantsOf('ST-PATH-EXACT', {
    'an operation is matched by its prefix': prefix('[^?/]+'),
    'an operation followed by a number is accepted': prefix('\\d+'),
  }),
  ...mutantsOf('ST-GET-REFUSED', {
    'links can be requested with GET and a query': ({ storage }) =>
      request('batchGetTempUrls', async ({ method }) => {
        if (method !== 'GET') return;
        const data = await storage('batchGetTempUrls', { fileList: [] });
        return toStorageResponse(200, data ? { data } : NO_ENTRIES);
      }),
    'a GET gets an HTML page': {
      request: ({ method, operation }) =>
        method === 'GET' && operation
          ? new MutatedResponse(200, { 'Content-Type': 'text/html' }, '<h1>It works!</h1>')
          : undefined,
    },
    'a GET of batchDelete succeeds without doing anything': request('batchDelete', ({ method }) =>
      method === 'GET' ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
  }),
  refuseType('a charset is rejected', (type) => /charset/i.test(type)),
  refuseType('a charset without a space before it is rejected', (type) => /json;\S/i.test(type)),
  refuseType(
    'a copy with a charset is rejected',
    (type, operation) => operation === 'batchCopyFile' && /charset/i.test(type),
  ),
  refuseType('an upper-case content type is rejected', (type) => /^[^;]*[A-Z]/.test(type)),
  ...mutantsOf('ST-RESPONSE-JSON', {
    'failures are text/plain': failure((_, { headers }) =>
      headers.set('Content-Type', 'text/plain'),
    ),
    'a copy has the content type text/json': success(
      (_, { headers }) => headers.set('Content-Type', 'text/json'),
      'batchCopyFile',
    ),
    'an unknown operation gets an HTML page': {
      response(response, { path }) {
        if (path.startsWith('/api/') && response.status === 404)
          setBody('<h1>Not Found</h1>', 'text/html')(response);
      },
    },
  }),
  mutant(
    'ST-REQUEST-FORM',
    'a deletion needs its fields in data, all other calls at the top level',
    refuse(
      ({ operation, json }) => isObject(json) && (operation === 'batchDelete') !== 'data' in json,
    ),
  ),
  ...mutantsOf('ST-UNKNOWN-FIELDS', {
    'an unknown field of a call is rejected': refuse(({ json }) =>
      Object.keys(json ?? {}).some((key) => !['path', 'fileList', 'data'].includes(key)),
    ),
    'an unknown field of an item is rejected': refuse(({ json }) =>
      hasItem(
        json,
        (item) => isObject(item) && Object.keys(item).some((key) => !FIELDS.includes(key)),
      ),
    ),
  }),
  ...['{', '{"path":"a"', "{'path':'a'}", '{"path":"a",}', ''].map((text) =>
    mutant(
      'ST-BAD-JSON',
      `invalid JSON gets 500: ${text || 'nothing'}`,
      refuse(({ method, json, body }) => {
        const isBad = method === 'POST' && json === undefined;
        return isBad && body.toString().slice(0, 1) === text.slice(0, 1);
      }, 500),
    ),
  ),
  ...mutantsOf('ST-BAD-JSON', {
    'a list of deletions that is not JSON counts as an empty one': request(
      'batchDelete',
      ({ json, method }) =>
        method === 'POST' && json === undefined ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
    'it gets an HTML page': {
      request: ({ operation, json, method }) =>
        method === 'POST' && operation && json === undefined
          ? new MutatedResponse(400, { 'Content-Type': 'text/html' }, '<pre>SyntaxError</pre>')
          : undefined,
    },
  }),
  ...OPERATIONS.map((wanted) =>
    mutant(
      'ST-MISSING-FIELD',
      `${wanted} without its field gets 500`,
      refuse(
        ({ operation, json }) => operation === wanted && isObject(json) && !hasField(json),
        500,
      ),
    ),
  ),
  mutant(
    'ST-MISSING-FIELD',
    'a deletion without a list deletes nothing, with success',
    request('batchDelete', ({ json }) =>
      isObject(json) && !hasField(json) ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
  ),
  ...(
    [
      ['a path that is a number', (json) => typeof json?.path === 'number'],
      ['a path that is null', (json) => json?.path === null],
      ['a path that is an object', (json) => json?.path && typeof json.path === 'object'],
      ['a list that is a string', (json) => typeof json?.fileList === 'string'],
      ['a list that is null', (json) => json?.fileList === null],
      ['a list that is an object', (json) => isObject(json?.fileList)],
      ['an item that is null', (json) => json?.fileList?.[0] === null],
      ['an item that is a number', (json) => typeof json?.fileList?.[0] === 'number'],
      ['a body that is a list', (json) => Array.isArray(json)],
      ['a body that is null', (json) => json === null],
      ['a body that is a string', (json) => typeof json === 'string'],
      [
        'a source that is a number',
        (json) => hasItem(json, (item) => typeof item?.srcPath === 'number'),
      ],
      ['overwrite that is a string', isText('overwrite')],
      ['maxAge that is a string', isText('maxAge')],
      [
        'a file ID that is a number',
        (json) => hasItem(json, (item) => typeof item?.fileID === 'number'),
      ],
    ] satisfies [string, (json: Json) => unknown][]
  ).map(([what, isWrong]) =>
    mutant(
      'ST-WRONG-TYPE',
      `${what} gets 500`,
      refuse(({ json }) => isWrong(json?.data ?? json), 500),
    ),
  ),
  coerce(
    'overwrite that is the string false counts as true',
    isText('overwrite'),
    ({ fileList }) => ({ fileList: fileList.map((one: Json) => ({ ...one, overwrite: true })) }),
  ),
  coerce('maxAge that is a string is read as a number', isText('maxAge'), ({ fileList }) => ({
    fileList: fileList.map((one: Json) => ({ ...one, maxAge: 60 })),
  })),
  coerce(
    'a path that is a number is read as a string',
    (json) => typeof json?.path === 'number',
    ({ path }) => ({ path: String(path) }),
  ),
  coerce(
    'one file ID instead of a list is accepted',
    (json) => typeof json?.fileList === 'string',
    ({ fileList }) => ({ fileList: [fileList] }),
  ),
];
