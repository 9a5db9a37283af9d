import { type Json, MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { toStorageAnswer, toStorageRefusal } from '../support/refusals.ts';
import { fault, ofFailure, ofSuccess, refusing } from './fault.ts';

const hasItem = (json: Json, isWanted: (item: Json) => boolean) =>
  Array.isArray(json?.fileList) && json.fileList.some(isWanted);

/** What storage services make of calls, good and wrong. */
export const storageCalls: readonly Mutant[] = [
  fault('ST-PATH-EXACT', 'an operation is found by its beginning', {
    request(request) {
      request.target = request.target.replace(
        /(storages:(?:getUploadMetaData|batchGetTempUrls|batchDelete|batchCopyFile))[^?/]+/,
        '$1',
      );
    },
  }),
  fault('ST-PATH-EXACT', 'an operation with a number after it is found', {
    request(request) {
      request.target = request.target.replace(
        /(storages:(?:getUploadMetaData|batchGetTempUrls|batchDelete|batchCopyFile))\d+/,
        '$1',
      );
    },
  }),
  fault('ST-GET-REFUSED', 'links can be had with GET and a query', (context) => ({
    async request({ method, operation }) {
      if (method !== 'GET' || operation !== 'batchGetTempUrls') return;
      const answer = await context.call({
        method: 'POST',
        target: `/api/v2/envs/${context.env}/storages:batchGetTempUrls`,
        headers: { ...context.storageHeaders(), 'Content-Type': 'application/json' },
        body: '{"fileList":[]}',
      });
      return answer.status === 200 ? answer : toStorageAnswer(200, { data: { fileList: [] } });
    },
  })),
  fault('ST-GET-REFUSED', 'a GET is answered with a page', {
    request: ({ method, operation }) =>
      method === 'GET' && operation
        ? new MutatedAnswer(200, { 'Content-Type': 'text/html' }, '<h1>It works!</h1>')
        : undefined,
  }),
  fault('ST-GET-REFUSED', 'a GET of batchDelete does nothing, and succeeds', {
    request: ({ method, operation }) =>
      method === 'GET' && operation === 'batchDelete'
        ? toStorageAnswer(200, { data: { fileList: [] } })
        : undefined,
  }),
  fault(
    'ST-REQUEST-JSON',
    'a charset is refused',
    refusing(({ headers }) => /charset/i.test(headers.get('Content-Type') ?? ''), 415),
  ),
  fault(
    'ST-REQUEST-JSON',
    'a charset without a space before it is refused',
    refusing(({ headers }) => /json;\S/i.test(headers.get('Content-Type') ?? ''), 415),
  ),
  fault(
    'ST-REQUEST-JSON',
    'a copy with a charset is refused',
    refusing(
      ({ headers, operation }) =>
        operation === 'batchCopyFile' && /charset/i.test(headers.get('Content-Type') ?? ''),
      415,
    ),
  ),
  fault(
    'ST-REQUEST-JSON',
    'a content type in capital letters is refused',
    refusing(({ headers }) => /[A-Z]/.test(headers.get('Content-Type')?.split(';')[0] ?? ''), 415),
  ),
  fault(
    'ST-RESPONSE-JSON',
    'failures are text/plain',
    ofFailure((_, answer) => answer.headers.set('Content-Type', 'text/plain')),
  ),
  fault(
    'ST-RESPONSE-JSON',
    'a copy is answered as text/json',
    ofSuccess((_, answer, operation) => {
      if (operation === 'batchCopyFile') answer.headers.set('Content-Type', 'text/json');
    }),
  ),
  fault(
    'ST-RESPONSE-JSON',
    'an unknown operation gets a page',
    {
      answer(answer, { path }) {
        if (path.startsWith('/api/') && answer.status === 404) {
          answer.headers.set('Content-Type', 'text/html');
          answer.body = Buffer.from('<h1>Not Found</h1>');
        }
      },
    },
    [
      'ST-ENVELOPE-BODY',
      'ST-ENVELOPE-CODE',
      'ST-ENVELOPE-STATUS-CODE',
      'ST-PATH-EXACT',
      'ST-ENVELOPE-MESSAGE-PRESENT',
      'ST-ENVELOPE-REQUEST-ID-PRESENT',
    ],
  ),
  fault(
    'ST-REQUEST-FORM',
    'a deletion has to be wrapped in data, all else at the top level',
    refusing(
      ({ operation, json }) =>
        json &&
        !Array.isArray(json) &&
        typeof json === 'object' &&
        (operation === 'batchDelete') !== 'data' in json,
    ),
  ),
  fault(
    'ST-UNKNOWN-FIELDS',
    'an unknown field of a call is refused',
    refusing(
      ({ json }) =>
        json && Object.keys(json).some((key) => !['path', 'fileList', 'data'].includes(key)),
    ),
  ),
  fault(
    'ST-UNKNOWN-FIELDS',
    'an unknown field of an item is refused',
    refusing(
      ({ json }) =>
        Array.isArray(json?.fileList) &&
        json.fileList.some(
          (item: Json) =>
            item &&
            typeof item === 'object' &&
            Object.keys(item).some(
              (key) =>
                !['fileID', 'maxAge', 'srcPath', 'dstPath', 'overwrite', 'removeOriginal'].includes(
                  key,
                ),
            ),
        ),
    ),
  ),
  ...['{', '{"path":"a"', "{'path':'a'}", '{"path":"a",}', '', 'null', 'path=a']
    .map((text) =>
      fault('ST-BAD-JSON', `what is no JSON ends in 500: such as ${text || 'nothing'}`, {
        request(request) {
          if (!request.operation || request.method !== 'POST' || request.json !== undefined) return;
          const body = request.body.toString();
          const isWanted = text === '' ? body === '' : body[0] === text[0];
          return isWanted ? toStorageRefusal(500, 'SYS_ERR') : undefined;
        },
      }),
    )
    .slice(0, 5),
  fault('ST-BAD-JSON', 'a list of deletions that is no JSON is taken for an empty one', {
    request: ({ operation, json, method }) =>
      method === 'POST' && operation === 'batchDelete' && json === undefined
        ? toStorageAnswer(200, { data: { fileList: [] } })
        : undefined,
  }),
  fault(
    'ST-BAD-JSON',
    'it gets a page',
    {
      request: ({ operation, json, method }) =>
        method === 'POST' && operation && json === undefined
          ? new MutatedAnswer(400, { 'Content-Type': 'text/html' }, '<pre>SyntaxError</pre>')
          : undefined,
    },
    [
      'ST-RESPONSE-JSON',
      'ST-ENVELOPE-BODY',
      'ST-ENVELOPE-CODE',
      'ST-ENVELOPE-STATUS-CODE',
      'ST-COPY-STATUS-CODE',
      'ST-ENVELOPE-MESSAGE-PRESENT',
      'ST-ENVELOPE-REQUEST-ID-PRESENT',
    ],
  ),
  ...['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'].map((wanted) =>
    fault(
      'ST-MISSING-FIELD',
      `${wanted} without its field ends in 500`,
      refusing(
        ({ operation, json }) =>
          operation === wanted &&
          json &&
          typeof json === 'object' &&
          !Array.isArray(json) &&
          !('path' in (json.data ?? json)) &&
          !('fileList' in (json.data ?? json)),
        500,
      ),
    ),
  ),
  fault('ST-MISSING-FIELD', 'a deletion without a list is one of nothing', {
    request: ({ operation, json }) =>
      operation === 'batchDelete' &&
      json &&
      typeof json === 'object' &&
      !Array.isArray(json) &&
      !('fileList' in (json.data ?? json))
        ? toStorageAnswer(200, { data: { fileList: [] } })
        : undefined,
  }),
  ...(
    [
      ['a path that is a number ends in 500', (json: Json) => typeof json?.path === 'number'],
      ['a path that is null ends in 500', (json: Json) => json?.path === null],
      [
        'a path that is an object ends in 500',
        (json: Json) => typeof json?.path === 'object' && json.path,
      ],
      ['a list that is a string ends in 500', (json: Json) => typeof json?.fileList === 'string'],
      ['a list that is null ends in 500', (json: Json) => json?.fileList === null],
      [
        'a list that is an object ends in 500',
        (json: Json) =>
          json?.fileList && typeof json.fileList === 'object' && !Array.isArray(json.fileList),
      ],
      ['an item that is null ends in 500', (json: Json) => json?.fileList?.[0] === null],
      [
        'an item that is a number ends in 500',
        (json: Json) => typeof json?.fileList?.[0] === 'number',
      ],
      ['a body that is a list ends in 500', (json: Json) => Array.isArray(json)],
      ['a body that is null ends in 500', (json: Json) => json === null],
      ['a body that is a string ends in 500', (json: Json) => typeof json === 'string'],
      [
        'a source that is a number ends in 500',
        (json: Json) => hasItem(json, (item) => typeof item?.srcPath === 'number'),
      ],
      [
        'overwrite that is a string ends in 500',
        (json: Json) => hasItem(json, (item) => typeof item?.overwrite === 'string'),
      ],
      [
        'maxAge that is a string ends in 500',
        (json: Json) => hasItem(json, (item) => typeof item?.maxAge === 'string'),
      ],
      [
        'a file ID that is a number ends in 500',
        (json: Json) => hasItem(json, (item) => typeof item?.fileID === 'number'),
      ],
    ] as const
  ).map(([breaks, isWrong]) =>
    fault(
      'ST-WRONG-TYPE',
      breaks,
      refusing(({ json }) => isWrong(json?.data ?? json), 500),
    ),
  ),
  fault('ST-WRONG-TYPE', 'overwrite that is the string false is taken for true', {
    request(request) {
      if (hasItem(request.json, (item) => typeof item?.overwrite === 'string'))
        request.json = {
          fileList: request.json.fileList.map((one: Json) => ({ ...one, overwrite: true })),
        };
    },
  }),
  fault('ST-WRONG-TYPE', 'maxAge that is a string is read as a number', {
    request(request) {
      if (hasItem(request.json, (item) => typeof item?.maxAge === 'string'))
        request.json = {
          fileList: request.json.fileList.map((one: Json) => ({ ...one, maxAge: 60 })),
        };
    },
  }),
  fault('ST-WRONG-TYPE', 'a path that is a number is read as a string', {
    request(request) {
      if (typeof request.json?.path === 'number')
        request.json = { path: String(request.json.path) };
    },
  }),
  fault('ST-WRONG-TYPE', 'one file ID in place of a list is taken', {
    request(request) {
      if (typeof request.json?.fileList === 'string')
        request.json = { fileList: [request.json.fileList] };
    },
  }),
];
