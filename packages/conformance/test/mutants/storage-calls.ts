import type { Hooks, Json } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { drop } from './support/gateway.ts';
import {
  COPY,
  DELETE,
  GRANT,
  itemsOf,
  NO_ENTRIES,
  type Operation,
  refuse,
  request,
  retarget,
  toStorageRefusal,
  toStorageResponse,
} from './support/storage.ts';

/** Changes the items of calls whose fields are inside `data`. */
const inData = (operation: Operation, change: (items: Json[]) => Json[]): Hooks =>
  request(operation, (call) => {
    const { json } = call;
    const given = json?.data?.fileList;
    if (!Array.isArray(given)) return;
    const isSound = given.every((item) => typeof item === 'string' || Object(item) === item);
    if (isSound) call.json = { data: { ...json.data, fileList: change(given) } };
  });

export const storageCalls: Rows = {
  'ST-PATH/2: anything after the name of an operation is ignored': retarget(
    drop(/(?<=storages:batchDelete)[A-Z]\w*$/),
  ),
  'ST-PATH/1: copies require PUT instead of POST': request(COPY, (call) => {
    if (call.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
    if (call.method === 'PUT') call.method = 'POST';
    return undefined;
  }),
  'ST-PATH/3: a GET of batchDelete succeeds without doing anything': request(
    DELETE,
    ({ method }) => (method === 'GET' ? toStorageResponse(200, NO_ENTRIES) : undefined),
  ),
  'ST-REQUEST/1: a content type with a charset is rejected': refuse(
    ({ operation, headers }) =>
      operation === DELETE && /charset/i.test(headers.get('Content-Type') ?? ''),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ),
  'ST-REQUEST/1: escapes in JSON are not decoded': request(GRANT, (call) => {
    if (call.json === undefined) return;
    call.body = Buffer.from(call.body.toString().replaceAll('\\u', 'u'));
  }),
  'ST-REQUEST/2: copies accept their fields only in data, all other calls only at the top level':
    refuse(({ operation, json }) =>
      operation === COPY ? json?.fileList !== undefined : json?.data !== undefined,
    ),
  'ST-REQUEST/2: copies with overwrite and without removeOriginal are rejected': refuse(
    (call) =>
      call.operation === COPY &&
      itemsOf(call).some(
        ({ overwrite, removeOriginal }) => overwrite === true && removeOriginal === false,
      ),
  ),
  'ST-UNKNOWN-FIELDS: an unknown field of a call is rejected': refuse(({ json }) =>
    Object.keys(json ?? {}).some((key) => !['path', 'fileList', 'data'].includes(key)),
  ),
  'ST-REQUEST/3: overwrite false inside data is ignored': inData(COPY, (all) =>
    all.map((item) => ({ ...item, overwrite: true })),
  ),
  'ST-META-CALL: a path with several levels gets no upload grant': refuse(
    ({ operation, json }) => operation === GRANT && String(json?.path).includes('/deeper/'),
  ),
  'ST-META-CALL: an existing file gets no second grant': () => {
    const seen = new Set<string>();
    return refuse(({ operation, json }) => {
      const path = (json?.data ?? json)?.path;
      if (operation !== GRANT || typeof path !== 'string') return false;
      const isSecond = seen.has(path);
      seen.add(path);
      return isSecond;
    });
  },
  'ST-REQUEST/3: only the first file inside data is deleted': inData(DELETE, (all) =>
    all.slice(0, 1),
  ),
};
