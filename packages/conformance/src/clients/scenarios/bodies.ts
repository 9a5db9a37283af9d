import type { Task } from '../protocol.ts';
import { GRANT, json, operationOf, type Reply, send, stream, toData } from '../replies.ts';
import {
  equals,
  filesOf,
  get,
  once,
  type Problem,
  post,
  type Scenario,
  type Seen,
  scenario,
  succeeds,
  toFileId,
} from '../scenario.ts';

const BODY = {
  text: 'Zoë "quoted" \\ 中文 🚀',
  nested: { list: [1, 2.5, null, true, { deep: [] }] },
  data: { not: 'an envelope' },
  empty: '',
};

const TEXT = 'Line 1\r\nLine 2 – 中文 🚀\n';

const BYTES = [...Buffer.from(TEXT)].map((byte) => Buffer.from([byte]));

/** The storage tasks, each with the fields of its request. */
const CALLS: readonly [operation: string, task: Task, fields: object][] = [
  [
    'getUploadMetaData',
    { task: 'upload', path: 'folder/中文 1.txt', content: 'QQ==' },
    { path: 'folder/中文 1.txt' },
  ],
  [
    'batchGetTempUrls',
    { task: 'links', fileIDs: [toFileId('中文.txt')] },
    { fileList: [{ fileID: toFileId('中文.txt') }] },
  ],
  [
    'batchDelete',
    { task: 'delete', fileIDs: [toFileId('a.txt'), toFileId('b.txt')] },
    { fileList: [toFileId('a.txt'), toFileId('b.txt')] },
  ],
  [
    'batchCopyFile',
    { task: 'copy', files: [{ srcPath: '/a.txt', dstPath: '/中.txt' }] },
    { fileList: [{ srcPath: '/a.txt', dstPath: '/中.txt' }] },
  ],
  [
    'batchCopyFile',
    { task: 'move', files: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] },
    { fileList: [{ srcPath: '/a.txt', dstPath: '/b.txt', removeOriginal: true }] },
  ],
];

/** Wraps or flattens the data of a successful response. */
const withBody =
  (toBody: (data: unknown) => unknown): Reply =>
  (exchange) =>
    json(200, toBody(toData(exchange.request, exchange.place)))(exchange);

const flat = withBody((data) => ({ requestId: 'flat', data }));

const withMore = withBody((data) => {
  const { fileList, ...rest } = Object(data);
  const list = fileList?.map((item: object) => ({ ...item, size: 7, more: {} }));
  const extended = { ...rest, ...(list && { fileList: list }), more: [1], expires: null };
  return { statusCode: 200, more: true, body: { requestId: 'more', data: extended, more: 1 } };
});

/** What requests contain, and how responses are read. */
export const bodies: readonly Scenario[] = [
  scenario('CL-JSON-REQUEST', 'an object with Unicode', post('a', BODY), {}, function* (seen) {
    yield* once('the call', seen.gateway);
    const [request] = seen.gateway;
    if (request === undefined) return;
    const type = request.header('content-type') ?? '';
    if (!/^application\/json\s*(;|$)/i.test(type)) {
      yield { message: `the Content-Type is ${type || 'missing'}`, request };
    }
    yield* equals('the body', parse(request.body.toString()), BODY);
  }),
  scenario(
    'CL-PAYLOAD',
    'a JSON object',
    get('json'),
    { gateway: [json(200, BODY)] },
    function* (seen) {
      yield* succeeds(seen);
      yield* equals('the body', seen.result?.body, BODY);
    },
  ),
  scenario(
    'CL-PAYLOAD',
    'text, byte by byte',
    get('text'),
    { gateway: [stream('text/plain; charset=utf-8', BYTES)] },
    function* (seen) {
      yield* succeeds(seen);
      yield* equals('the body', seen.result?.body, TEXT);
    },
  ),
  scenario(
    'CL-PAYLOAD',
    'an error-like object with status 200',
    post('json', {}),
    { gateway: [send(200, '{"code":"A","message":"b"}', { 'Content-Type': 'application/json' })] },
    function* (seen) {
      yield* succeeds(seen);
      yield* equals('the body', seen.result?.body, { code: 'A', message: 'b' });
    },
  ),
  ...CALLS.flatMap(([operation, task, fields]) => [
    scenario('CL-STORAGE-CALL', task.task, task, {}, function* ({ storage, place }) {
      yield* once('the call', storage);
      const [request] = storage;
      const target = `/api/v2/envs/${place.env}/storages:${operation}`;
      const sent = request && `${request.method} ${request.target}`;
      if (sent !== undefined && sent !== `POST ${target}`) {
        yield { message: `${sent} was sent in place of POST ${target}`, request };
      }
    }),
    scenario('CL-STORAGE-BODY', task.task, task, {}, function* ({ storage: [request] }) {
      if (request === undefined) {
        yield 'the call was not sent';
        return;
      }
      if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) {
        yield { message: 'the Content-Type must be application/json', request };
      }
      const sent = Object(parse(request.body.toString()));
      const names = Object.keys(fields);
      if (sent.data !== undefined && names.some((name) => sent[name] !== undefined)) {
        yield { message: 'the fields are both at the top level and in data', request };
      }
      yield* equals('the fields', withoutDefaults(Object(sent.data ?? sent)), fields);
    }),
  ]),
  ...CALLS.flatMap(([, task]) => [
    scenario(
      'CL-ENVELOPE',
      `${task.task}, with unknown fields`,
      task,
      { storage: [withMore] },
      isRead,
    ),
    scenario('CL-ENVELOPE-FLAT', task.task, task, { storage: [flat] }, isRead),
  ]),
];

/** Checks that the driver reported what the response contains. */
function* isRead(seen: Seen): Iterable<Problem> {
  yield* succeeds(seen);
  const { storage, files, result, place } = seen;
  if (storage[0] === undefined) {
    yield 'the call was not sent';
    return;
  }
  if (operationOf(storage[0]) === 'getUploadMetaData') {
    yield* equals('the fileID', result?.fileID, toFileId('folder/中文 1.txt'));
    if (files[0] && files[0].target !== GRANT.path) yield 'the form was sent to another URL';
    return;
  }
  const list = filesOf(seen);
  if (list.length === 0 && seen.error === undefined) yield 'the result has no files';
  for (const { error, url } of list) {
    if (error !== undefined) yield 'a file is reported as failed';
    if (operationOf(storage[0]) !== 'batchGetTempUrls') continue;
    if (!String(url).startsWith(place.files)) yield `the link is ${url}`;
  }
}

/** Removes the fields of copies that have their default value. */
function withoutDefaults({ fileList, ...rest }: Record<string, unknown>): unknown {
  if (!Array.isArray(fileList)) return rest;
  const list = fileList.map((item) => {
    if (typeof item !== 'object' || item === null) return item;
    const { overwrite, removeOriginal, ...own } = item;
    return {
      ...own,
      ...(overwrite === false && { overwrite }),
      ...(removeOriginal === true && { removeOriginal }),
    };
  });
  return { ...rest, fileList: list };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
