import type { Json, MutatedRequest } from '../proxy/messages.ts';
import { COPY, DELETE, isObject, refuse, request, toStorageResponse } from './hooks/storage.ts';
import type { Rows } from './mutant.ts';

/** Repairs invalid JSON. */
const repair = (rewrite: (text: string) => string) => ({
  request(call: MutatedRequest) {
    if (call.operation === undefined || call.json !== undefined) return;
    call.body = Buffer.from(rewrite(call.body.toString()));
  },
});

export const storageRefusals: Rows = {
  'ST-INVALID/1: anything after the end of the JSON is ignored': repair((text) =>
    text.slice(0, text.lastIndexOf('}') + 1 || undefined),
  ),
  'ST-INVALID/1: unclosed brackets cause a 500': refuse(
    ({ operation, body }) => operation === DELETE && /^\[{100}[\s\S]*[^\]]$/.test(body.toString()),
    500,
  ),
  'ST-INVALID/2: a deletion without fileList succeeds and deletes nothing': request(
    DELETE,
    ({ json }) => {
      const hasNone = isObject(json) && !('fileList' in json) && !('data' in json);
      return hasNone ? toStorageResponse(200, { data: { fileList: [] } }) : undefined;
    },
  ),
  'ST-INVALID/3: only the first item of a list is validated': request(DELETE, (call) => {
    const { json } = call;
    if (!Array.isArray(json?.fileList)) return;
    const [first, ...rest] = json.fileList;
    call.json = { ...json, fileList: [first, ...rest.map(String)] };
  }),
  'ST-INVALID/2: an item without dstPath is a copy onto the source': request(COPY, (call) => {
    const { json } = call;
    if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
    for (const item of json.fileList) item.dstPath ??= `${item.srcPath}-copy`;
    call.json = json;
  }),
  'ST-REFUSED-UNDONE: a list with an invalid item is rejected, but its other items are moved': ({
    storage,
  }) => ({
    async response({ status }, { operation, json }) {
      const items = operation === COPY && status === 400 ? json?.fileList : undefined;
      if (!Array.isArray(items)) return;
      await storage(COPY, { fileList: items.filter((item: Json) => item?.dstPath) });
    },
  }),
  'ST-REFUSED-UNDONE: a deletion without credentials is rejected, but the file is deleted': ({
    storage,
  }) => ({
    async response({ status }, { operation, headers, json }) {
      if (operation !== DELETE || status < 400 || headers.get('X-Svc-Authorization')) return;
      const fileList = json?.data?.fileList ?? json?.fileList;
      if (Array.isArray(fileList)) await storage(DELETE, { fileList });
    },
  }),
};
