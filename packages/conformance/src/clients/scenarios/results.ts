import type { Task } from '../protocol.ts';
import {
  close,
  cutOff,
  endless,
  gatewayError,
  json,
  listOf,
  REQUEST_ID,
  type Reply,
  raw,
  send,
  storageData,
  storageError,
  toData,
} from '../replies.ts';
import {
  fails,
  failsWith,
  filesOf,
  get,
  type Problem,
  post,
  type Scenario,
  type Seen,
  scenario,
  show,
  succeeds,
  toFileId,
} from '../scenario.ts';

/** Maximum number of files in a call (D25). */
const MOST_FILES = 50;

/** More than two calls of files, in an order that no sorting preserves. */
const NAMES = Array.from({ length: 120 }, (_, index) => `${(index * 77) % 120}.txt`);

const LINKS: Task = { task: 'links', fileIDs: NAMES.map(toFileId) };
const DELETE: Task = { task: 'delete', fileIDs: ['a', 'b', 'c'].map(toFileId) };
const COPY: Task = {
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

/** Fails the second of three files. */
const second: Reply = storageData((request, place) => {
  const { fileList } = Object(toData(request, place));
  const failed = { code: 'STORAGE_FILE_NONEXIST', message: 'The file does not exist.' };
  const isLink = 'tempFileURL' in Object(fileList[1]);
  fileList[1] = { fileID: fileList[1].fileID, ...failed, ...(isLink && { tempFileURL: '' }) };
  return { fileList };
});

/** How lists and errors are reported. */
export const results: readonly Scenario[] = [
  scenario(
    'CL-LIST-LIMIT',
    `a list of ${NAMES.length} files`,
    LINKS,
    { storage: [limited] },
    function* ({ storage }) {
      const long = storage.find((request) => listOf(request).length > MOST_FILES);
      if (long === undefined) return;
      yield { message: `a list of ${listOf(long).length} files was sent`, request: long };
    },
  ),
  scenario(
    'CL-LIST-RESULTS',
    `links to ${NAMES.length} files`,
    LINKS,
    // The first call is the slowest.
    { storage: [(exchange) => void setTimeout(() => limited(exchange), 50), limited] },
    function* (seen) {
      // A client may refuse a list that is too long.
      if (seen.error !== undefined) return;
      const asked = seen.storage
        .flatMap((request) => listOf(request))
        .map((item) => String(Object(item).fileID));
      const ids = NAMES.map(toFileId);
      if (asked.toSorted().join() !== ids.toSorted().join()) {
        yield `${asked.length} files were requested in place of ${ids.length}`;
      }
      const wrong = filesOf(seen).findIndex(
        ({ url }, index) => !String(url).endsWith(encodeURIComponent(ids[index] ?? '')),
      );
      if (filesOf(seen).length !== ids.length) yield `the result has ${filesOf(seen).length} files`;
      else if (wrong >= 0) yield `the link at index ${wrong} is that of another file`;
    },
  ),
  ...[{ task: 'links', fileIDs: ['a', 'b', 'c'].map(toFileId) } as const, DELETE, COPY].flatMap(
    (task) => [
      scenario(
        'CL-ERROR-ITEMS',
        `${task.task}, the second of three files fails`,
        task,
        { storage: [second] },
        function* (seen) {
          const code = filesOf(seen)[1]?.error?.code;
          if (code !== 'STORAGE_FILE_NONEXIST') {
            yield `the second file must have an error with the code STORAGE_FILE_NONEXIST, got ${show(seen.result ?? seen.error)}`;
          }
        },
      ),
      scenario(
        'CL-LIST-RESULTS',
        `${task.task}, the second of three files fails`,
        task,
        { storage: [second] },
        function* (seen) {
          yield* succeeds(seen);
          if (seen.error !== undefined) return;
          const failed = filesOf(seen).map(({ error }) => error !== undefined);
          if (failed.join() !== 'false,true,false') {
            yield `only the second file must be failed, got ${show(seen.result)}`;
          }
        },
      ),
    ],
  ),
  ...[get('a'), post('a', {})].flatMap((task) => [
    scenario(
      'CL-ERROR-GATEWAY',
      'a 404 SERVICE_NOT_FOUND',
      task,
      { gateway: [gatewayError(404, 'SERVICE_NOT_FOUND')] },
      (seen) => failsWith(seen, { code: 'SERVICE_NOT_FOUND', status: 404, requestId: REQUEST_ID }),
    ),
    scenario(
      'CL-ERROR-GATEWAY',
      'a code that is not in the contract',
      task,
      { gateway: [gatewayError(418, 'SERVICE_IS_A_TEAPOT')] },
      (seen) =>
        failsWith(seen, { code: 'SERVICE_IS_A_TEAPOT', status: 418, requestId: REQUEST_ID }),
    ),
    scenario(
      'CL-ERROR-SERVICE',
      'a 422 of the service with JSON',
      task,
      { gateway: [json(422, { field: 'name' }, { 'X-Svc-Upstream-Status-Code': '422' })] },
      (seen) => failsWith(seen, { status: 422 }),
    ),
  ]),
  scenario(
    'CL-ERROR-SERVICE',
    'a 500 of the service without a body',
    get('a'),
    { gateway: [send(500, '', { 'X-Svc-Upstream-Status-Code': '500' })] },
    (seen) => failsWith(seen, { status: 500 }),
  ),
  ...(
    [
      [200, 'envelope'],
      [200, 'flat'],
      [403, 'envelope'],
      [403, 'flat'],
    ] as const
  ).flatMap(([status, form]) =>
    [{ task: 'links', fileIDs: [toFileId('a')] } as const, DELETE, COPY].map((task) =>
      scenario(
        'CL-ERROR-STORAGE',
        `${task.task}, status ${status}, ${form}`,
        task,
        { storage: [storageError(status, 'STORAGE_EXCEED_AUTHORITY', form)] },
        (seen) => failsForAll(seen, 'STORAGE_EXCEED_AUTHORITY'),
      ),
    ),
  ),
  scenario(
    'CL-ERROR-HTML',
    'a 403 from a proxy',
    get('a'),
    { gateway: [send(403, '<h1>Forbidden</h1>', HTML)] },
    (seen) => failsWith(seen, { status: 403 }),
  ),
  scenario(
    'CL-ERROR-HTML',
    'a 413 from a proxy in front of the storage API',
    { task: 'upload', path: 'a.txt', content: 'QQ==' },
    { storage: [send(413, '<h1>Too large</h1>', HTML)] },
    (seen) => failsWith(seen, { status: 413 }),
  ),
  scenario(
    'CL-ERROR-JSON',
    'invalid JSON from a service',
    get('a'),
    { gateway: [send(200, '{"name":', JSON_TYPE)] },
    fails,
  ),
  scenario(
    'CL-ERROR-JSON',
    'invalid JSON from the storage API',
    DELETE,
    { storage: [send(200, '{"statusCode":200,', JSON_TYPE)] },
    (seen) => failsForAll(seen),
  ),
  ...(
    [
      ['a JSON body that is cut off', cutOff('application/json', '{"ok":true}')],
      ['a text that is cut off', cutOff('text/plain', 'Hello')],
      ['a chunked body without an end', raw(CHUNKED, 'b\r\n{"ok":true}\r\n')],
      ['a connection that is closed', close],
    ] as const
  ).flatMap(([about, reply]) => [
    scenario('CL-ERROR-CUT', `GET, ${about}`, get('a'), { gateway: [reply] }, fails),
    scenario('CL-ERROR-CUT', `POST, ${about}`, post('a', {}), { gateway: [reply] }, fails),
  ]),
  scenario(
    'CL-ERROR-CUT',
    'delete, a connection that is closed',
    DELETE,
    { storage: [close] },
    (seen) => failsForAll(seen),
  ),
  scenario(
    'CL-SIZE-HEADERS',
    'a header without an end',
    get('a'),
    { gateway: [endless('HTTP/1.1 200 OK\r\nX-Long: ', 'a'.repeat(65_536), HEADER_BYTES)] },
    fails,
  ),
  scenario(
    'CL-SIZE-HEADERS',
    'headers without an end',
    get('a'),
    { gateway: [endless('HTTP/1.1 200 OK\r\n', 'X-Many: 1\r\n'.repeat(6_000), HEADER_BYTES)] },
    fails,
  ),
  scenario(
    'CL-SIZE-BODY',
    'a storage response without an end',
    { task: 'upload', path: 'a.txt', content: 'QQ==' },
    { storage: [endless(CHUNKED, `10000\r\n${' '.repeat(65_536)}\r\n`, BODY_BYTES)] },
    function* (seen) {
      yield* fails(seen);
      const request = seen.storage.find(({ sent }) => sent >= BODY_BYTES);
      if (request) yield { message: 'the client has received 32 MiB', request };
    },
  ),
];

/** Checks that the call failed: as a whole, or each of its files with the same error. */
function* failsForAll(seen: Seen, code?: string): Iterable<Problem> {
  const errors = seen.error ? [seen.error] : filesOf(seen).map(({ error }) => error);
  if (errors.length === 0 || errors.includes(undefined)) yield* fails(seen);
  else if (code !== undefined && errors.some((error) => error?.code !== code)) {
    yield `the error must have the code ${code}, got ${show(errors)}`;
  }
  if (errors.length === 0 && seen.result === undefined) yield 'the result has no files';
}
