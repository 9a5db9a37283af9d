import { retarget } from './hooks/gateway.ts';
import {
  COPY,
  DELETE,
  GRANT,
  itemsOf,
  refuse,
  request,
  toStorageRefusal,
  toStorageResponse,
} from './hooks/storage.ts';
import type { Rows } from './mutant.ts';

export const storageRequests: Rows = {
  'ST-PATH/2: anything after the name of an operation is ignored': retarget((target) =>
    target.replace(/(?<=storages:batchDelete)[A-Z]\w*$/, ''),
  ),
  'ST-PATH/1: copies require PUT instead of POST': request(COPY, (call) => {
    if (call.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
    if (call.method === 'PUT') call.method = 'POST';
    return undefined;
  }),
  'ST-PATH/3: a GET of batchDelete succeeds without doing anything': request(
    DELETE,
    ({ method }) =>
      method === 'GET' ? toStorageResponse(200, { data: { fileList: [] } }) : undefined,
  ),
  'ST-REQUEST/1: a content type with a charset is rejected': refuse(
    ({ operation, headers }) =>
      operation === DELETE && /charset/i.test(headers.get('Content-Type') ?? ''),
    415,
  ),
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
  'ST-UNKNOWN-FIELDS: an unknown field of an item is rejected': refuse(
    (call) => call.operation === COPY && itemsOf(call).some((item) => 'unknown' in item),
  ),
  'ST-UNKNOWN-FIELDS: an unknown field of a call is rejected': refuse(({ json }) =>
    Object.keys(json ?? {}).some((key) => !['path', 'fileList', 'data'].includes(key)),
  ),
  'ST-REQUEST/3: overwrite false inside data is ignored': request(COPY, (call) => {
    const { json } = call;
    for (const item of json?.data?.fileList ?? []) Object(item).overwrite = true;
    call.json = json;
  }),
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
};
