import type { Mutant } from './mutant.ts';
import { itemsOf } from './support/answers.ts';
import { toStorageAnswer, toStorageRefusal } from './support/refusals.ts';

export const storageCalls: readonly Mutant[] = [
  {
    rule: 'ST-PATH',
    breaks: 'copies stand at another path',
    companions: ['ST-COPY-CALL'],
    create: () => ({
      request(request) {
        if (request.operation === 'batchCopyFile')
          request.target = request.target.replace('batchCopyFile', 'batchCopyFiles');
        else
          request.target = request.target.replace(/storages:batchCopy$/, 'storages:batchCopyFile');
      },
    }),
  },
  {
    rule: 'ST-PATH-EXACT',
    breaks: 'what stands after the name of an operation is ignored',
    companions: [],
    create: () => ({
      request(request) {
        request.target = request.target.replace(/(?<=storages:batchDelete)[A-Z]\w*$/, '');
      },
    }),
  },
  {
    rule: 'ST-PATH-EXACT',
    breaks: 'the name of an operation may have an ending',
    companions: [],
    create: () => ({
      request(request) {
        request.target = request.target.replace(/(?<=storages:\w+)\.json$/, '');
      },
    }),
  },
  {
    rule: 'ST-POST',
    breaks: 'copies are a PUT',
    companions: ['ST-COPY-CALL'],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return undefined;
        if (request.method === 'POST') return toStorageRefusal(405, 'METHOD_NOT_ALLOWED');
        if (request.method === 'PUT') request.method = 'POST';
        return undefined;
      },
    }),
  },
  {
    rule: 'ST-GET-REFUSED',
    breaks: 'an upload address can be had with a GET',
    companions: [],
    create: () => ({
      request(request) {
        if (request.method !== 'GET' || !request.path.endsWith('storages:getUploadMetaData'))
          return;
        const path = new URLSearchParams(request.query).get('path');
        if (path === null) return;
        request.method = 'POST';
        request.target = request.path;
        request.json = { path };
        request.headers.set('Content-Type', 'application/json');
        request.headers.set('Content-Length', String(request.body.length));
      },
    }),
  },
  {
    rule: 'ST-GET-REFUSED',
    breaks: 'a GET of a list is answered with an empty one',
    companions: [],
    create: () => ({
      request({ method, operation }) {
        const isList = method === 'GET' && operation === 'batchGetTempUrls';
        return isList ? toStorageAnswer(200, { data: { fileList: [] } }) : undefined;
      },
    }),
  },
  {
    rule: 'ST-REQUEST-JSON',
    breaks: 'a content type with a charset is refused',
    companions: [],
    create: () => ({
      request({ operation, headers }) {
        const hasCharset = /charset/i.test(headers.get('Content-Type') ?? '');
        if (operation !== 'batchDelete' || !hasCharset) return undefined;
        return toStorageRefusal(415, 'UNSUPPORTED_MEDIA_TYPE');
      },
    }),
  },
  {
    rule: 'ST-REQUEST-JSON',
    breaks: 'JSON is read without its escapes',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'getUploadMetaData' || request.json === undefined) return;
        request.body = Buffer.from(request.body.toString().replaceAll('\\u', 'u'));
      },
    }),
  },
  {
    rule: 'ST-RESPONSE-JSON',
    breaks: 'a refusal for want of credentials is text',
    companions: [],
    create: () => ({
      answer(answer, { operation }) {
        if (operation === 'batchGetTempUrls' && answer.status === 401) {
          answer.headers.set('Content-Type', 'text/plain');
        }
      },
    }),
  },
  {
    rule: 'ST-RESPONSE-JSON',
    breaks: 'a deletion is answered as text/json',
    companions: [],
    create: () => ({
      answer(answer, { operation }) {
        if (operation === 'batchDelete' && answer.status === 200) {
          answer.headers.set('Content-Type', 'text/json');
        }
      },
    }),
  },
  {
    rule: 'ST-REQUEST-FORM',
    breaks: 'copies want their fields in data, all others at the top level',
    companions: ['ST-COPY-CALL'],
    create: () => ({
      request({ operation, json }) {
        const isTop = json?.fileList !== undefined && operation === 'batchCopyFile';
        const isData =
          json?.data !== undefined && operation !== 'batchCopyFile' && operation !== undefined;
        return isTop || isData ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
      },
    }),
  },
  {
    rule: 'ST-REQUEST-FORM',
    breaks: 'copies that are to overwrite and to keep their source are refused',
    companions: [],
    create: () => ({
      request(request) {
        if (request.operation !== 'batchCopyFile') return undefined;
        const isRefused = itemsOf(request).some(
          ({ overwrite, removeOriginal }) => overwrite === true && removeOriginal === false,
        );
        return isRefused ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
      },
    }),
  },
  {
    rule: 'ST-UNKNOWN-FIELDS',
    breaks: 'an item with a field that is not known is refused',
    companions: [],
    create: () => ({
      request({ operation, json }) {
        if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return undefined;
        const names = json.fileList.flatMap((item: unknown) => Object.keys(Object(item)));
        const isUnknown = names.includes('unknown');
        return isUnknown ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
      },
    }),
  },
];
