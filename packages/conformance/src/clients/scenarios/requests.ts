import type { ClientRuleId } from '../../generated/rule-ids.gen.ts';
import { parseJson } from '../../http/exchange.ts';
import { matchesMediaType } from '../../http/media-type.ts';
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
  fails,
  filesOf,
  get,
  once,
  type Problems,
  post,
  type Scenario,
  SERVICE,
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
      isJson(request)
        ? undefined
        : `the Content-Type is ${request.header('content-type') || 'missing'}`,
      equals('the body', parseJson(request.body) ?? request.body.toString(), BODY),
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
      const target = `POST /api/v2/envs/${place.env}/storages:${operation}`;
      const [sent = target] = storage.map((request) => `${request.method} ${request.target}`);
      return [
        once('the call', storage),
        sent === target ? undefined : `${sent} was sent in place of ${target}`,
      ];
    }),
    scenario('CL-STORAGE-BODY', task.task, task).expect(({ storage: [request] }) => {
      if (request === undefined) return 'the call was not sent';
      const sent = Object(parseJson(request.body));
      const isBoth =
        sent.data !== undefined && Object.keys(fields).some((name) => sent[name] !== undefined);
      return [
        isJson(request) ? undefined : 'the Content-Type must be application/json',
        isBoth ? 'the fields are both at the top level and in data' : undefined,
        equals('the fields', withoutDefaults(Object(sent.data ?? sent)), fields),
      ];
    }),
    scenario('CL-ENVELOPE', `${task.task}, with unknown fields`, task, {
      storage: [withMore],
    }).expect(isRead),
    scenario('CL-ENVELOPE-FLAT', task.task, task, { storage: [flat] }).expect(isRead),
  ]),
];

const isJson = (request: Received) =>
  matchesMediaType(request.header('content-type') ?? '', 'application/json');

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

const BASE = `/v1/cloudrun/${SERVICE}`;

/** Paths that must be sent exactly as the caller wrote them. */
const VERBATIM: readonly [rule: ClientRuleId, about: string, path: string][] = [
  ['CL-PATH-SEGMENTS', 'a path with three segments', 'orders/7/items'],
  ['CL-PATH-ESCAPES', 'an encoded slash', 'files/a%2Fb'],
  ['CL-PATH-ESCAPES', 'an encoded percent sign', 'files/100%25'],
  ['CL-PATH-ESCAPES', 'encoded Chinese characters', 'files/%E4%B8%AD%E6%96%87'],
  ['CL-PATH-ESCAPES', 'an encoded letter and lower-case hex digits', 'files/%41%c3%a9'],
  ['CL-PATH-ESCAPES', 'an encoded question mark and number sign', 'files/a%3Fb%23c'],
  ['CL-PATH-SLASHES', 'an empty segment', 'a//b'],
  ['CL-PATH-SLASHES', 'a slash at the end', 'a/b/'],
  ['CL-QUERY-RAW', 'repeated parameters', 'search?b=2&a=1&b=1'],
  ['CL-QUERY-RAW', 'a plus, an encoded plus and an encoded space', 'search?q=a+b%2Bc%20d'],
  ['CL-QUERY-RAW', 'an encoded ampersand and an encoded slash', 'search?q=a%26b%2Fc&d=e/f'],
  ['CL-QUERY-RAW', 'a parameter without a value', 'search?flag&empty=&x'],
];

/** Paths that HTTP does not allow, and the same paths when encoded. */
const ENCODED: readonly [about: string, path: string, sent: string][] = [
  ['a space', 'files/my file', 'files/my%20file'],
  ['Chinese characters', 'files/中文', 'files/%E4%B8%AD%E6%96%87'],
  ['an emoji', 'files/🚀', 'files/%F0%9F%9A%80'],
];

const DOTS = ['../other/secret', 'a/../../other', '%2e%2e/other', 'a/./b', 'a/%2E%2e/b'];

/** How the path and the query of a call are sent. */
export const paths: readonly Scenario[] = [
  ...VERBATIM.map(([rule, about, path]) =>
    scenario(rule, about, get(path)).expect((seen) => [
      succeeds(seen),
      hasTarget(seen.gateway, `${BASE}/${path}`),
    ]),
  ),
  scenario('CL-PATH-SEGMENTS', 'a POST to a path with two segments', post('orders/7', {})).expect(
    ({ gateway }) => hasTarget(gateway, `${BASE}/orders/7`),
  ),
  ...ENCODED.map(([about, path, sent]) =>
    scenario('CL-PATH-UNICODE', about, get(path)).expect(({ gateway, result }) =>
      gateway.length === 0 && result === undefined
        ? undefined
        : hasTarget(gateway, `${BASE}/${sent}`),
    ),
  ),
  ...DOTS.map((path) =>
    scenario('CL-PATH-DOTS', `the path ${path}`, get(path)).expect((seen) =>
      seen.all.length === 0 ? fails(seen) : hasTarget(seen.gateway, `${BASE}/${path}`),
    ),
  ),
  ...[get(''), post('', {})].map((task) =>
    scenario('CL-PATH-ROOT', `a ${'method' in task && task.method} without a path`, task).expect(
      ({ gateway }) => hasTarget(gateway, BASE, `${BASE}/`),
    ),
  ),
];

function hasTarget([request]: readonly Received[], ...expected: readonly string[]): Problems {
  if (request === undefined) return 'the call was not sent';
  const isRight = expected.includes(request.target);
  return isRight ? undefined : `${request.target} was sent in place of ${expected[0]}`;
}
