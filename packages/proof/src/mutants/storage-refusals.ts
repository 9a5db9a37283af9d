import { type Hooks, type Json, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import { drop } from './support/gateway.ts';
import {
  COPY,
  DELETE,
  GRANT,
  hasItem,
  isObject,
  LINKS,
  NO_ENTRIES,
  OPERATIONS,
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

/** Accepts a value of another type as if it were valid. */
const coerce = (isWrong: (json: Json) => unknown, toRight: (json: Json) => object): Hooks => ({
  request(call) {
    if (isWrong(call.json)) call.json = toRight(call.json);
  },
});

const isText = (name: string) => (json: Json) =>
  hasItem(json, (item) => typeof item?.[name] === 'string');

export const storageRefusals: Rows = {
  'ST-BAD-JSON': {
    'anything after the end of the JSON is ignored': repair((text) =>
      text.slice(0, text.lastIndexOf('}') + 1 || undefined),
    ),
    'unclosed brackets cause a 500': refuse(
      ({ operation, body }) =>
        operation === DELETE && /^\[{100}[\s\S]*[^\]]$/.test(body.toString()),
      500,
      'SYS_ERR',
    ),
    'an empty body in a copy call counts as an empty list': request(COPY, ({ method, body }) =>
      method === 'POST' && body.length === 0 ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
    'a trailing comma is accepted': repair(drop(/,\s*(?=[,}\]])/g)),
    ...eachOf(['{', '{"path":"a"', "{'path':'a'}", '{"path":"a",}', ''], (text) => [
      `invalid JSON gets 500: ${text || 'nothing'}`,
      refuse(({ method, json, body }) => {
        const isBad = method === 'POST' && json === undefined;
        return isBad && body.toString().slice(0, 1) === text.slice(0, 1);
      }, 500),
    ]),
    'a list of deletions that is not JSON counts as an empty one': request(
      DELETE,
      ({ json, method }) =>
        method === 'POST' && json === undefined ? toStorageResponse(200, NO_ENTRIES) : undefined,
    ),
    'it gets an HTML page': {
      request: ({ operation, json, method }) =>
        method === 'POST' && operation && json === undefined
          ? new MutatedResponse(400, { 'Content-Type': 'text/html' }, '<pre>SyntaxError</pre>')
          : undefined,
    },
  },
  'ST-MISSING-FIELD': {
    'a deletion without fileList succeeds and deletes nothing': request(DELETE, ({ json }) => {
      const hasNone = isObject(json) && !('fileList' in json) && !('data' in json);
      return hasNone ? toStorageResponse(200, NO_ENTRIES) : undefined;
    }),
    ...eachOf(OPERATIONS, (wanted) => [
      `${wanted} without its field gets 500`,
      refuse(
        ({ operation, json }) => operation === wanted && isObject(json) && !hasField(json),
        500,
      ),
    ]),
  },
  'ST-WRONG-TYPE': {
    'a string in place of a list counts as a single item': request(DELETE, (call) => {
      const { json } = call;
      if (typeof json?.fileList === 'string') call.json = { ...json, fileList: [json.fileList] };
    }),
    'a maxAge that is a string of digits counts as a number': request(LINKS, (call) => {
      const { json } = call;
      const isText = (item: unknown) => /^\d+$/.test(Object(item).maxAge);
      if (!Array.isArray(json?.fileList) || !json.fileList.some(isText)) return;
      for (const item of json.fileList.filter(isText)) item.maxAge = Number(item.maxAge);
      call.json = json;
    }),
    'only the first item of a list is validated': request(DELETE, (call) => {
      const { json } = call;
      if (!Array.isArray(json?.fileList)) return;
      const [first, ...rest] = json.fileList;
      call.json = { ...json, fileList: [first, ...rest.map(String)] };
    }),
    'the last of three items is not validated': request(DELETE, (call) => {
      const { json } = call;
      if (json?.fileList?.length !== 3 || typeof json.fileList[2] === 'string') return;
      call.json = { ...json, fileList: [...json.fileList.slice(0, 2), 'any'] };
    }),
    'a deeply nested list causes a 503': refuse(
      ({ operation, body }) =>
        operation === LINKS &&
        body.includes('['.repeat(1000)) &&
        body.subarray(-1000).includes(']]'),
      503,
      'SERVICE_UNAVAILABLE',
    ),
    'a path that is not a string is rejected without a code': request(GRANT, ({ json }) =>
      typeof json?.path === 'boolean'
        ? toStorageResponse(400, { message: 'path must be a string' })
        : undefined,
    ),
    ...eachOf(
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
      ] satisfies [string, (json: Json) => unknown][],
      ([what, isWrong]) => [
        `${what} gets 500`,
        refuse(({ json }) => isWrong(json?.data ?? json), 500),
      ],
    ),
    'overwrite that is the string false counts as true': coerce(
      isText('overwrite'),
      ({ fileList }) => ({
        fileList: fileList.map((one: Json) => ({ ...one, overwrite: true })),
      }),
    ),
    'a path that is a number is read as a string': coerce(
      (json) => typeof json?.path === 'number',
      ({ path }) => ({ path: String(path) }),
    ),
  },
  'ST-REFUSED-UNDONE': {
    'the files in a rejected deletion are deleted': ({ storage }) => ({
      async response(response, { json, operation }) {
        const list = json?.data?.fileList ?? json?.fileList;
        if (operation !== DELETE || response.status < 400 || !Array.isArray(list)) return;
        await storage(DELETE, { fileList: list.filter((id) => typeof id === 'string') });
      },
    }),
  },
};
