import type { MutatedRequest } from '../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  isObject,
  NO_ENTRIES,
  readsRequests,
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

export const storageRefusals: readonly Mutant[] = [
  ...mutantsOf('ST-BAD-JSON', {
    'anything after the end of the JSON is ignored': repair((text) =>
      text.slice(0, text.lastIndexOf('}') + 1 || undefined),
    ),
    'unclosed brackets cause a 500': refuse(
      ({ operation, body }) =>
        operation === 'batchDelete' && /^\[{100}[\s\S]*[^\]]$/.test(body.toString()),
      500,
      'SYS_ERR',
    ),
    'an empty body in a copy call counts as an empty list': request(
      'batchCopyFile',
      ({ method, body }) =>
        method === 'POST' && body.length === 0 ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
    'a trailing comma is accepted': repair((text) => text.replace(/,\s*(?=[,}\]])/g, '')),
  }),
  ...mutantsOf('ST-MISSING-FIELD', {
    'a deletion without fileList succeeds and deletes nothing': request(
      'batchDelete',
      ({ json }) => {
        const hasNone = isObject(json) && !('fileList' in json) && !('data' in json);
        return hasNone ? toStorageResponse(200, NO_ENTRIES) : undefined;
      },
    ),
    'a missing path causes a 500': refuse(
      ({ operation, json }) =>
        operation === 'getUploadMetaData' && isObject(json) && Object.keys(json).length === 0,
      500,
      'SYS_ERR',
    ),
  }),
  ...mutantsOf('ST-WRONG-TYPE', {
    'a string in place of a list counts as a single item': request('batchDelete', (call) => {
      const { json } = call;
      if (typeof json?.fileList === 'string') call.json = { ...json, fileList: [json.fileList] };
    }),
    'a maxAge that is a string of digits counts as a number': request(
      'batchGetTempUrls',
      (call) => {
        const { json } = call;
        const isText = (item: unknown) => /^\d+$/.test(Object(item).maxAge);
        if (!Array.isArray(json?.fileList) || !json.fileList.some(isText)) return;
        for (const item of json.fileList.filter(isText)) item.maxAge = Number(item.maxAge);
        call.json = json;
      },
    ),
    'only the first item of a list is validated': request('batchDelete', (call) => {
      const { json } = call;
      if (!Array.isArray(json?.fileList)) return;
      const [first, ...rest] = json.fileList;
      call.json = { ...json, fileList: [first, ...rest.map(String)] };
    }),
    'the last of three items is not validated': request('batchDelete', (call) => {
      const { json } = call;
      if (json?.fileList?.length !== 3 || typeof json.fileList[2] === 'string') return;
      call.json = { ...json, fileList: [...json.fileList.slice(0, 2), 'any'] };
    }),
    'a deeply nested list causes a 503': refuse(
      ({ operation, body }) =>
        operation === 'batchGetTempUrls' &&
        body.includes('['.repeat(1000)) &&
        body.subarray(-1000).includes(']]'),
      503,
      'SERVICE_UNAVAILABLE',
    ),
    'a path that is not a string is rejected without a code': request(
      'getUploadMetaData',
      ({ json }) =>
        typeof json?.path === 'boolean'
          ? toStorageResponse(400, { message: 'path must be a string' })
          : undefined,
    ),
  }),
  mutant('ST-REFUSED-UNDONE', 'the files in a rejected deletion are deleted', ({ storage }) => ({
    ...readsRequests,
    async response(response, { json, operation }) {
      const list = json?.data?.fileList ?? json?.fileList;
      if (operation !== 'batchDelete' || response.status < 400 || !Array.isArray(list)) return;
      await storage('batchDelete', { fileList: list.filter((id) => typeof id === 'string') });
    },
  })),
];
