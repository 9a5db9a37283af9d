import type { Json, MutatedRequest } from '../proxy/messages.ts';
import { retarget } from './hooks/gateway.ts';
import {
  COPY,
  DELETE,
  GRANT,
  isObject,
  itemsOf,
  refuse,
  request,
  toStorageRefusal,
  toStorageResponse,
} from './hooks/storage.ts';
import type { Rows } from './mutant.ts';

/** Repairs invalid JSON. */
const repair = (rewrite: (text: string) => string) => ({
  request(call: MutatedRequest) {
    if (call.operation === undefined || call.json !== undefined) return;
    call.body = Buffer.from(rewrite(call.body.toString()));
  },
});

export const storageRequests: Rows = {
  'ST-PATH/1: copies require PUT instead of POST': request(COPY, (call) => {
    if (call.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
    if (call.method === 'PUT') call.method = 'POST';
    return undefined;
  }),
  'ST-PATH/2: the end of a name is ignored': retarget((target) =>
    target.replace(/(?<=storages:batchDelete)[A-Z]\w*$/, ''),
  ),
  'ST-PATH/3: a GET succeeds': request(DELETE, ({ method }) =>
    method === 'GET' ? toStorageResponse(200, { data: { fileList: [] } }) : undefined,
  ),
  'ST-REQUEST/1: a charset is rejected': refuse(
    ({ operation, headers }) =>
      operation === DELETE && /charset/i.test(headers.get('Content-Type') ?? ''),
    415,
  ),
  'ST-REQUEST/2: only copies need their fields in data': refuse(({ operation, json }) =>
    operation === COPY ? json?.fileList !== undefined : json?.data !== undefined,
  ),
  'ST-REQUEST/2: overwrite needs removeOriginal': refuse(
    (call) =>
      call.operation === COPY &&
      itemsOf(call).some(
        ({ overwrite, removeOriginal }) => overwrite === true && removeOriginal === false,
      ),
  ),
  'ST-REQUEST/3: overwrite false inside data is ignored': request(COPY, (call) => {
    const { json } = call;
    for (const item of json?.data?.fileList ?? []) Object(item).overwrite = true;
    call.json = json;
  }),
  'ST-UNKNOWN-FIELDS: an unknown field of an item is rejected': refuse(
    (call) => call.operation === COPY && itemsOf(call).some((item) => 'unknown' in item),
  ),
  'ST-UNKNOWN-FIELDS: an unknown field of a call is rejected': refuse(({ json }) =>
    Object.keys(json ?? {}).some((key) => !['path', 'fileList', 'data'].includes(key)),
  ),
  'ST-INVALID/1: what follows the JSON is ignored': repair((text) =>
    text.slice(0, text.lastIndexOf('}') + 1 || undefined),
  ),
  'ST-INVALID/1: unclosed brackets cause a 500': refuse(
    ({ operation, body }) => operation === DELETE && /^\[{100}[\s\S]*[^\]]$/.test(body.toString()),
    500,
  ),
  'ST-INVALID/2: fileList is optional': request(DELETE, ({ json }) => {
    const hasNone = isObject(json) && !('fileList' in json) && !('data' in json);
    return hasNone ? toStorageResponse(200, { data: { fileList: [] } }) : undefined;
  }),
  'ST-INVALID/2: dstPath is optional': request(COPY, (call) => {
    const { json } = call;
    if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
    for (const item of json.fileList) item.dstPath ??= `${item.srcPath}-copy`;
    call.json = json;
  }),
  'ST-INVALID/3: only the first item is validated': request(DELETE, (call) => {
    const { json } = call;
    if (!Array.isArray(json?.fileList)) return;
    const [first, ...rest] = json.fileList;
    call.json = { ...json, fileList: [first, ...rest.map(String)] };
  }),
  'ST-REFUSED-UNDONE: the valid items are moved': ({ storage }) => ({
    async response({ status }, { operation, json }) {
      const items = operation === COPY && status === 400 ? json?.fileList : undefined;
      if (!Array.isArray(items)) return;
      await storage(COPY, { fileList: items.filter((item: Json) => item?.dstPath) });
    },
  }),
  'ST-REFUSED-UNDONE: the file is deleted': ({ storage }) => ({
    async response({ status }, { operation, headers, json }) {
      if (operation !== DELETE || status < 400 || headers.get('X-Svc-Authorization')) return;
      const fileList = json?.data?.fileList ?? json?.fileList;
      if (Array.isArray(fileList)) await storage(DELETE, { fileList });
    },
  }),
  'ST-META-CALL: levels are rejected': refuse(
    ({ operation, json }) => operation === GRANT && String(json?.path).includes('/deeper/'),
  ),
  'ST-META-CALL: a path gets only one grant': () => {
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
