import {
  close,
  cutOff,
  endless,
  gatewayError,
  json,
  listOf,
  operationOf,
  REQUEST_ID,
  type Received,
  type Reply,
  raw,
  respond,
  send,
  storageData,
  storageError,
  toData,
} from '../deployment.ts';
import type { Task } from '../driver.ts';
import {
  at,
  COPY,
  DELETE,
  fails,
  failsWith,
  filesOf,
  get,
  LINKS,
  MOVE,
  once,
  type Problems,
  post,
  type Scenario,
  type Seen,
  scenario,
  show,
  succeeds,
  toFileId,
  UPLOAD,
  waits,
} from '../scenario.ts';

/** Maximum number of files in a call (D25). */
const MOST_FILES = 50;

/** More than two calls of files, in an order that no sorting preserves. */
const NAMES = Array.from({ length: 120 }, (_, index) => `${(index * 77) % 120}.txt`);
const IDS = NAMES.map(toFileId);

const MANY: Task = { task: 'links', fileIDs: IDS };
const THREE: Task = { task: 'links', fileIDs: ['a', 'b', 'c'].map(toFileId) };
const THREE_DELETED: Task = { task: 'delete', fileIDs: ['a', 'b', 'c'].map(toFileId) };
const THREE_COPIED: Task = {
  task: 'copy',
  files: ['a', 'b', 'c'].map((name) => ({ srcPath: `/${name}`, dstPath: `/${name}2` })),
};
const HTML = { 'Content-Type': 'text/html' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

/** More than any header field that clients accept, in bytes. */
const HEADER_BYTES = 8 * 1024 * 1024;

const BODY_BYTES = 32 * 1024 * 1024;

/** Rejects lists that are too long, as our server does. */
const limited: Reply = (exchange) =>
  listOf(exchange.request).length > MOST_FILES
    ? storageError(400, 'INVALID_PARAM')(exchange)
    : storageData(toData)(exchange);

const second: Reply = storageData((request, place) => {
  const { fileList } = Object(toData(request, place));
  const failed = { code: 'STORAGE_FILE_NONEXIST', message: 'The file does not exist.' };
  const isLink = 'tempFileURL' in Object(fileList[1]);
  fileList[1] = { fileID: fileList[1].fileID, ...failed, ...(isLink && { tempFileURL: '' }) };
  return { fileList };
});

const GATEWAY_ERRORS = [
  ['a 404 SERVICE_NOT_FOUND', 404, 'SERVICE_NOT_FOUND'],
  ['a code that is not in the contract', 418, 'SERVICE_IS_A_TEAPOT'],
] as const;

const STORAGE_ERRORS = [
  [200, 'envelope'],
  [200, 'flat'],
  [403, 'envelope'],
  [403, 'flat'],
] as const;

const CUT: readonly [about: string, reply: Reply][] = [
  ['a JSON body that is cut off', cutOff('application/json', '{"ok":true}')],
  ['a text that is cut off', cutOff('text/plain', 'Hello')],
  ['a chunked body without an end', raw(CHUNKED, 'b\r\n{"ok":true}\r\n')],
  ['a connection that is closed', close],
];

const HEADERS: readonly [about: string, head: string, filler: string][] = [
  ['a header without an end', 'HTTP/1.1 200 OK\r\nX-Long: ', 'a'.repeat(65_536)],
  ['headers without an end', 'HTTP/1.1 200 OK\r\n', 'X-Many: 1\r\n'.repeat(6_000)],
];

/** How lists and errors are reported. */
export const results: readonly Scenario[] = [
  scenario('CL-LIST-LIMIT', `a list of ${NAMES.length} files`, MANY, {
    storage: [limited],
  }).expect(({ storage }) => {
    const long = storage.find((request) => listOf(request).length > MOST_FILES);
    return at(long, long && `a list of ${listOf(long).length} files was sent`);
  }),
  scenario('CL-LIST-RESULTS', `links to ${NAMES.length} files`, MANY, {
    // The first call is the slowest.
    storage: [(exchange) => void setTimeout(() => limited(exchange), 50), limited],
  }).expect((seen) => {
    // A client may refuse a list that is too long.
    if (seen.error !== undefined) return undefined;
    const asked = seen.storage.flatMap(listOf).map((item) => String(Object(item).fileID));
    const list = filesOf(seen);
    const wrong = list.findIndex(
      ({ url }, index) => !String(url).endsWith(encodeURIComponent(IDS[index] ?? '')),
    );
    return [
      asked.toSorted().join() === IDS.toSorted().join()
        ? undefined
        : `${asked.length} files were requested in place of ${IDS.length}`,
      list.length !== IDS.length
        ? `the result has ${list.length} files`
        : wrong >= 0
          ? `the link at index ${wrong} is that of another file`
          : undefined,
    ];
  }),
  ...[THREE, THREE_DELETED, THREE_COPIED].flatMap((task) => {
    const about = `${task.task}, the second of three files fails`;
    return [
      scenario('CL-ERROR-ITEMS', about, task, { storage: [second] }).expect((seen) =>
        filesOf(seen)[1]?.error?.code === 'STORAGE_FILE_NONEXIST'
          ? undefined
          : `the second file must have an error with the code STORAGE_FILE_NONEXIST, got ${show(seen.result ?? seen.error)}`,
      ),
      scenario('CL-LIST-RESULTS', about, task, { storage: [second] }).expect((seen) => {
        const failed = filesOf(seen).map(({ error }) => error !== undefined);
        const isRight = seen.error !== undefined || failed.join() === 'false,true,false';
        const message = `only the second file must be failed, got ${show(seen.result)}`;
        return [succeeds(seen), isRight ? undefined : message];
      }),
    ];
  }),
  ...[get('a'), post('a', {})].flatMap((task) => [
    ...GATEWAY_ERRORS.map(([about, status, code]) =>
      scenario('CL-ERROR-GATEWAY', about, task, { gateway: [gatewayError(status, code)] }).expect(
        (seen) => failsWith(seen, { code, status, requestId: REQUEST_ID }),
      ),
    ),
    scenario('CL-ERROR-SERVICE', 'a 422 of the service with JSON', task, {
      gateway: [json(422, { field: 'name' }, { 'X-Svc-Upstream-Status-Code': '422' })],
    }).expect((seen) => failsWith(seen, { status: 422 })),
  ]),
  scenario('CL-ERROR-SERVICE', 'a 500 of the service without a body', get('a'), {
    gateway: [send(500, '', { 'X-Svc-Upstream-Status-Code': '500' })],
  }).expect((seen) => failsWith(seen, { status: 500 })),
  ...STORAGE_ERRORS.flatMap(([status, form]) =>
    [LINKS, DELETE, COPY].map((task) =>
      scenario('CL-ERROR-STORAGE', `${task.task}, status ${status}, ${form}`, task, {
        storage: [storageError(status, 'STORAGE_EXCEED_AUTHORITY', form)],
      }).expect((seen) => failsForAll(seen, 'STORAGE_EXCEED_AUTHORITY')),
    ),
  ),
  scenario('CL-ERROR-HTML', 'a 403 from a proxy', get('a'), {
    gateway: [send(403, '<h1>Forbidden</h1>', HTML)],
  }).expect((seen) => failsWith(seen, { status: 403 })),
  scenario('CL-ERROR-HTML', 'a 413 from a proxy in front of the storage API', UPLOAD, {
    storage: [send(413, '<h1>Too large</h1>', HTML)],
  }).expect((seen) => failsWith(seen, { status: 413 })),
  scenario('CL-ERROR-JSON', 'invalid JSON from a service', get('a'), {
    gateway: [send(200, '{"name":', JSON_TYPE)],
  }).expect(fails),
  scenario('CL-ERROR-JSON', 'invalid JSON from the storage API', DELETE, {
    storage: [send(200, '{"statusCode":200,', JSON_TYPE)],
  }).expect((seen) => failsForAll(seen)),
  ...CUT.flatMap(([about, reply]) => [
    scenario('CL-ERROR-CUT', `GET, ${about}`, get('a'), { gateway: [reply] }).expect(fails),
    scenario('CL-ERROR-CUT', `POST, ${about}`, post('a', {}), { gateway: [reply] }).expect(fails),
  ]),
  scenario('CL-ERROR-CUT', 'delete, a connection that is closed', DELETE, {
    storage: [close],
  }).expect((seen) => failsForAll(seen)),
  ...HEADERS.map(([about, head, filler]) =>
    scenario('CL-SIZE-HEADERS', about, get('a'), {
      gateway: [endless(head, filler, HEADER_BYTES)],
    }).expect(fails),
  ),
  scenario('CL-SIZE-BODY', 'a storage response without an end', UPLOAD, {
    storage: [endless(CHUNKED, `10000\r\n${' '.repeat(65_536)}\r\n`, BODY_BYTES)],
  }).expect((seen) => {
    const request = seen.storage.find(({ sent }) => sent >= BODY_BYTES);
    return [fails(seen), at(request, request && 'the client has received 32 MiB')];
  }),
];

/** Checks that the call failed: as a whole, or each of its files with the same error. */
function failsForAll(seen: Seen, code?: string): Problems {
  const errors = seen.error ? [seen.error] : filesOf(seen).map(({ error }) => error);
  const isWrong = code !== undefined && errors.some((error) => error?.code !== code);
  return [
    errors.length === 0 || errors.includes(undefined)
      ? fails(seen)
      : isWrong && `the error must have the code ${code}, got ${show(errors)}`,
    errors.length === 0 && seen.result === undefined && 'the result has no files',
  ].filter((problem) => problem !== false);
}

/** Maximum number of attempts. */
const MOST_ATTEMPTS = 10;

/** `Retry-After` of the responses, in seconds. */
const WAIT = 1;

/** Failures after which a call may have been executed. */
const UNKNOWN: readonly [about: string, reply: Reply][] = [
  ['the connection is closed without a response', close],
  ['the response is cut off', cutOff('application/json', '{"ok":')],
  ['a 504 SERVICE_TIMEOUT', gatewayError(504, 'SERVICE_TIMEOUT')],
  ['a 502 from a proxy', send(502, '<h1>Bad Gateway</h1>', { 'Content-Type': 'text/html' })],
];

/** Failures of the storage API after which a call may have been executed. */
const STORAGE: readonly [about: string, reply: Reply][] = [
  ['the connection is closed', close],
  ['a 500', storageError(500, 'SYS_ERR')],
  ['a 504', storageError(504, 'SYS_ERR')],
];

const AFTER = { 'Retry-After': String(WAIT) };
const LATER: readonly [task: Task, name: 'gateway' | 'storage', reply: Reply][] = [
  [get('a'), 'gateway', gatewayError(503, 'SERVICE_NOT_READY', AFTER)],
  [post('a', {}), 'gateway', gatewayError(429, 'EXCEED_RATELIMIT', AFTER)],
  [LINKS, 'storage', storageError(429, 'EXCEED_RATELIMIT', 'envelope', AFTER)],
];

/** When calls are sent again, and when not. */
export const retries: readonly Scenario[] = [
  ...UNKNOWN.map(([about, reply]) =>
    scenario('CL-RETRY-POST', about, post('orders', { item: 1 }), {
      gateway: [reply, json(200, { ok: true })],
    }).expect(({ gateway }) => isSentOnce(gateway)),
  ),
  ...[DELETE, COPY, MOVE].flatMap((task) =>
    STORAGE.map(([about, reply]) =>
      scenario('CL-RETRY-STORAGE', `${task.task}, ${about}`, task, {
        storage: [reply, respond],
      }).expect(({ storage }) => isSentOnce(storage)),
    ),
  ),
  scenario('CL-RETRY-REFUSED', 'a 404 SERVICE_NOT_FOUND', get('a'), {
    gateway: [gatewayError(404, 'SERVICE_NOT_FOUND')],
  }).expect(({ gateway }) => isSentOnce(gateway)),
  scenario('CL-RETRY-REFUSED', 'a 400 INVALID_PARAM', LINKS, {
    storage: [storageError(400, 'INVALID_PARAM')],
  }).expect(({ storage }) => isSentOnce(storage)),
  ...LATER.map(([task, name, reply]) =>
    scenario('CL-RETRY-AFTER', `${task.task}, Retry-After: ${WAIT}`, task, {
      [name]: [reply, respond],
    }).expect(({ [name]: requests }) => waits('the call was sent', requests, WAIT * 1000)),
  ),
  scenario('CL-RETRY-LIMIT', 'a GET that always fails', get('a'), {
    gateway: [gatewayError(503, 'SERVICE_NOT_READY')],
  }).expect(({ gateway, result }) => [
    result && 'the client reported a success',
    at(
      gateway.at(-1),
      gateway.length > MOST_ATTEMPTS && `the call was sent ${gateway.length} times`,
    ),
  ]),
];

function isSentOnce(requests: readonly Received[]): Problems {
  const [first] = requests;
  return once((first && operationOf(first)) ?? 'the call', requests);
}
