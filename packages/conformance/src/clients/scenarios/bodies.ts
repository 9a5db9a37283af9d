import {
  GRANT,
  json,
  operationOf,
  type Received,
  type Reply,
  send,
  stream,
  toData,
} from '../deployment.ts';
import type { Task } from '../driver.ts';
import {
  equals,
  filesOf,
  get,
  once,
  type Problems,
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

const ERROR_LIKE = { code: 'A', message: 'b' };

/** Responses of services: what is sent, and the body that the client must return. */
const PAYLOADS: readonly [about: string, task: Task, reply: Reply, body: unknown][] = [
  ['a JSON object', get('json'), json(200, BODY), BODY],
  ['text, byte by byte', get('text'), stream('text/plain; charset=utf-8', BYTES), TEXT],
  [
    ...(['an error-like object with status 200', post('json', {})] as const),
    send(200, JSON.stringify(ERROR_LIKE), { 'Content-Type': 'application/json' }),
    ERROR_LIKE,
  ],
];

const COPIED = { srcPath: '/a.txt', dstPath: '/中.txt' };

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
  ['batchCopyFile', { task: 'copy', files: [COPIED] }, { fileList: [COPIED] }],
  [
    'batchCopyFile',
    { task: 'move', files: [COPIED] },
    { fileList: [{ ...COPIED, removeOriginal: true }] },
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
  scenario('CL-JSON-REQUEST', 'an object with Unicode', post('a', BODY)).expect(({ gateway }) => {
    const [request] = gateway;
    if (request === undefined) return once('the call', gateway);
    return [
      once('the call', gateway),
      unlessJson(request, `the Content-Type is ${request.header('content-type') || 'missing'}`),
      equals('the body', parse(request.body.toString()), BODY),
    ];
  }),
  ...PAYLOADS.map(([about, task, reply, body]) =>
    scenario('CL-PAYLOAD', about, task, { gateway: [reply] }).expect((seen) => [
      succeeds(seen),
      equals('the body', seen.result?.body, body),
    ]),
  ),
  ...CALLS.flatMap(([operation, task, fields]) => [
    scenario('CL-STORAGE-CALL', task.task, task).expect(({ storage, place }) => {
      const [request] = storage;
      const target = `POST /api/v2/envs/${place.env}/storages:${operation}`;
      const sent = request && `${request.method} ${request.target}`;
      return [
        once('the call', storage),
        sent !== undefined && sent !== target
          ? { message: `${sent} was sent in place of ${target}`, request }
          : undefined,
      ];
    }),
    scenario('CL-STORAGE-BODY', task.task, task).expect(({ storage: [request] }) => {
      if (request === undefined) return 'the call was not sent';
      const sent = Object(parse(request.body.toString()));
      const isBoth =
        sent.data !== undefined && Object.keys(fields).some((name) => sent[name] !== undefined);
      return [
        unlessJson(request, 'the Content-Type must be application/json'),
        isBoth
          ? { message: 'the fields are both at the top level and in data', request }
          : undefined,
        equals('the fields', withoutDefaults(Object(sent.data ?? sent)), fields),
      ];
    }),
    scenario('CL-ENVELOPE', `${task.task}, with unknown fields`, task, {
      storage: [withMore],
    }).expect(isRead),
    scenario('CL-ENVELOPE-FLAT', task.task, task, { storage: [flat] }).expect(isRead),
  ]),
];

function unlessJson(request: Received, message: string): Problems {
  const isJson = /^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '');
  return isJson ? undefined : { message, request };
}

/** Checks that the driver reported what the response contains. */
function isRead(seen: Seen): Problems {
  const { storage, files, result, place, error } = seen;
  const [request] = storage;
  if (request === undefined) return [succeeds(seen), 'the call was not sent'];
  if (operationOf(request) === 'getUploadMetaData') {
    const isElsewhere = files[0] !== undefined && files[0].target !== GRANT.path;
    return [
      succeeds(seen),
      equals('the fileID', result?.fileID, toFileId('folder/中文 1.txt')),
      isElsewhere ? 'the form was sent to another URL' : undefined,
    ];
  }
  const list = filesOf(seen);
  const isOfLinks = operationOf(request) === 'batchGetTempUrls';
  return [
    succeeds(seen),
    list.length === 0 && error === undefined ? 'the result has no files' : undefined,
    ...list.map((file) => [
      file.error && 'a file is reported as failed',
      isOfLinks && !String(file.url).startsWith(place.files)
        ? `the link is ${file.url}`
        : undefined,
    ]),
  ];
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
