import type { Mutant } from './mutant.ts';
import { toStorageAnswer, toStorageRefusal } from './support/refusals.ts';

const CLOSE = ']'.charCodeAt(0);

export const storageRefusals: readonly Mutant[] = [
  {
    rule: 'ST-BAD-JSON',
    breaks: 'what stands after the end of the JSON is ignored',
    companions: [],
    create: () => ({
      request(request) {
        const text = request.body.toString();
        const end = text.lastIndexOf('}') + 1;
        if (request.operation === undefined || end === 0 || request.json !== undefined) return;
        request.body = Buffer.from(text.slice(0, end));
      },
    }),
  },
  {
    rule: 'ST-BAD-JSON',
    breaks: 'brackets that do not close end in a 500',
    companions: [],
    create: () => ({
      request({ operation, body }) {
        const isDeep =
          operation === 'batchDelete' && body.subarray(0, 100).toString() === '['.repeat(100);
        return isDeep && body.at(-1) !== CLOSE ? toStorageRefusal(500, 'SYS_ERR') : undefined;
      },
    }),
  },
  {
    rule: 'ST-BAD-JSON',
    breaks: 'an empty body of a copy is taken for an empty list',
    companions: [],
    create: () => ({
      request({ operation, method, body }) {
        const isEmpty = operation === 'batchCopyFile' && method === 'POST' && body.length === 0;
        return isEmpty ? toStorageAnswer(200, { data: { fileList: [] } }) : undefined;
      },
    }),
  },
  {
    rule: 'ST-BAD-JSON',
    breaks: 'a comma too many is forgiven',
    companions: [],
    create: () => ({
      request(request) {
        const { operation, json, body } = request;
        if (operation === undefined || json !== undefined) return;
        request.body = Buffer.from(body.toString().replace(/,\s*(?=[,}\]])/g, ''));
      },
    }),
  },
  {
    rule: 'ST-MISSING-FIELD',
    breaks: 'a deletion without fileList deletes nothing, with success',
    companions: [],
    create: () => ({
      request({ operation, json }) {
        const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
        const hasList = [json?.fileList, json?.data].some((value) => value !== undefined);
        return isObject && !hasList && operation === 'batchDelete'
          ? toStorageAnswer(200, { data: { fileList: [] } })
          : undefined;
      },
    }),
  },
  {
    rule: 'ST-MISSING-FIELD',
    breaks: 'a missing path ends in a 500',
    companions: [],
    create: () => ({
      request({ operation, json }) {
        const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
        const isEmpty = isObject && Object.keys(json).length === 0;
        return isEmpty && operation === 'getUploadMetaData'
          ? toStorageRefusal(500, 'SYS_ERR')
          : undefined;
      },
    }),
  },
  {
    rule: 'ST-WRONG-TYPE',
    breaks: 'a text in place of a list is taken for one item',
    companions: [],
    create: () => ({
      request(request) {
        const { operation, json } = request;
        if (operation !== 'batchDelete' || typeof json?.fileList !== 'string') return;
        request.json = { ...json, fileList: [json.fileList] };
      },
    }),
  },
  {
    rule: 'ST-WRONG-TYPE',
    breaks: 'a maxAge that is a text of digits is taken for a number',
    companions: [],
    create: () => ({
      request(request) {
        const { operation, json } = request;
        if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return;
        const isText = (item: unknown) => /^\d+$/.test(Object(item).maxAge);
        if (!json.fileList.some(isText)) return;
        const fileList = json.fileList.map((item: object) =>
          isText(item) ? { ...item, maxAge: Number(Object(item).maxAge) } : item,
        );
        request.json = { ...json, fileList };
      },
    }),
  },
  {
    rule: 'ST-WRONG-TYPE',
    breaks: 'only the first item of a list is looked at',
    companions: [],
    create: () => ({
      request(request) {
        const { operation, json } = request;
        if (operation !== 'batchDelete' || !Array.isArray(json?.fileList)) return;
        const [first, ...rest] = json.fileList;
        request.json = { ...json, fileList: [first, ...rest.map(String)] };
      },
    }),
  },
  {
    rule: 'ST-WRONG-TYPE',
    breaks: 'of a list of three the last item may be anything',
    companions: [],
    create: () => ({
      request(request) {
        const { operation, json } = request;
        if (operation !== 'batchDelete' || json?.fileList?.length !== 3) return;
        if (typeof json.fileList[2] === 'string') return;
        request.json = { ...json, fileList: [...json.fileList.slice(0, 2), 'any'] };
      },
    }),
  },
  {
    rule: 'ST-WRONG-TYPE',
    breaks: 'a list that is nested deep ends in a 503',
    companions: [],
    create: () => ({
      request({ operation, body }) {
        const isDeep = operation === 'batchGetTempUrls' && body.includes('['.repeat(1000));
        const isJson = isDeep && body.subarray(-1000).toString().includes(']]');
        return isJson ? toStorageRefusal(503, 'SERVICE_UNAVAILABLE') : undefined;
      },
    }),
  },
  {
    rule: 'ST-WRONG-TYPE',
    breaks: 'a path that is no text is refused without a code',
    companions: [],
    create: () => ({
      request({ operation, json }) {
        const isWrong = operation === 'getUploadMetaData' && typeof json?.path === 'boolean';
        return isWrong ? toStorageAnswer(400, { message: 'path must be a string' }) : undefined;
      },
    }),
  },
];
