import type { Json, MutatedRequest } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  COPY,
  DELETE,
  isObject,
  itemsOf,
  LINKS,
  NO_ENTRIES,
  refuse,
  request,
  toStorageResponse,
} from './support/storage.ts';

/** Repairs invalid JSON. */
const repair = (rewrite: (text: string) => string) => ({
  request(call: MutatedRequest) {
    if (call.operation === undefined || call.json !== undefined) return;
    call.body = Buffer.from(rewrite(call.body.toString()));
  },
});
const hasField = (json: Json) => 'path' in (json.data ?? json) || 'fileList' in (json.data ?? json);

export const storageRefusals: Rows = {
  'ST-INVALID/1: anything after the end of the JSON is ignored': repair((text) =>
    text.slice(0, text.lastIndexOf('}') + 1 || undefined),
  ),
  'ST-INVALID/1: unclosed brackets cause a 500': refuse(
    ({ operation, body }) => operation === DELETE && /^\[{100}[\s\S]*[^\]]$/.test(body.toString()),
    500,
    'SYS_ERR',
  ),
  'ST-INVALID/2: a deletion without fileList succeeds and deletes nothing': request(
    DELETE,
    ({ json }) => {
      const hasNone = isObject(json) && !('fileList' in json) && !('data' in json);
      return hasNone ? toStorageResponse(200, NO_ENTRIES) : undefined;
    },
  ),
  'ST-INVALID/2: a copy without fileList gets 500': refuse(
    ({ operation, json }) => operation === COPY && isObject(json) && !hasField(json),
    500,
  ),
  'ST-INVALID/3: a string in place of a list counts as a single item': request(DELETE, (call) => {
    const { json } = call;
    if (typeof json?.fileList === 'string') call.json = { ...json, fileList: [json.fileList] };
  }),
  'ST-INVALID/3: only the first item of a list is validated': request(DELETE, (call) => {
    const { json } = call;
    if (!Array.isArray(json?.fileList)) return;
    const [first, ...rest] = json.fileList;
    call.json = { ...json, fileList: [first, ...rest.map(String)] };
  }),
  'ST-INVALID/4: an item without dstPath is a copy onto the source': request(COPY, (call) => {
    const { json } = call;
    if (!json?.fileList?.some?.((item: Json) => item?.srcPath && !('dstPath' in item))) return;
    for (const item of json.fileList) item.dstPath ??= `${item.srcPath}-copy`;
    call.json = json;
  }),
  'ST-INVALID/4: an item without fileID is skipped if others have one': request(LINKS, (call) => {
    const fileList = itemsOf(call).filter((item) => 'fileID' in item);
    if (fileList.length > 0) call.json = { ...call.json, fileList };
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
