import {
  close,
  cutOff,
  gatewayError,
  json,
  operationOf,
  type Received,
  type Reply,
  respond,
  send,
  storageError,
} from '../deployment.ts';
import type { Task } from '../driver.ts';
import { get, once, type Problems, post, type Scenario, scenario, toFileId } from '../scenario.ts';

/** Maximum number of attempts. */
const MOST_ATTEMPTS = 10;

/** `Retry-After` of the responses, in seconds. */
const WAIT = 1;

/** Timers may fire early, and requests arrive later than they were sent, in milliseconds. */
const TOLERANCE = 50;

/** Failures after which a call may have been executed. */
const UNKNOWN: readonly [about: string, reply: Reply][] = [
  ['the connection is closed without a response', close],
  ['the response is cut off', cutOff('application/json', '{"ok":')],
  ['a 504 SERVICE_TIMEOUT', gatewayError(504, 'SERVICE_TIMEOUT')],
  ['a 502 from a proxy', send(502, '<h1>Bad Gateway</h1>', { 'Content-Type': 'text/html' })],
];

const LINKS: Task = { task: 'links', fileIDs: [toFileId('a.txt')] };

const CHANGES: readonly Task[] = [
  { task: 'delete', fileIDs: [toFileId('a.txt')] },
  { task: 'copy', files: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] },
  { task: 'move', files: [{ srcPath: '/a.txt', dstPath: '/b.txt' }] },
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
  ...CHANGES.flatMap((task) =>
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
    }).expect(({ [name]: [first, second] }) => {
      if (first === undefined) return 'the call was not sent';
      const waited = Math.round((second?.at ?? Number.POSITIVE_INFINITY) - first.at);
      if (waited >= WAIT * 1000 - TOLERANCE) return undefined;
      return { message: `the call was sent again after ${waited} ms`, request: second };
    }),
  ),
  scenario('CL-RETRY-LIMIT', 'a GET that always fails', get('a'), {
    gateway: [gatewayError(503, 'SERVICE_NOT_READY')],
  }).expect(({ gateway, result }) => [
    result && 'the client reported a success',
    gateway.length > MOST_ATTEMPTS
      ? { message: `the call was sent ${gateway.length} times`, request: gateway.at(-1) }
      : undefined,
  ]),
];

function isSentOnce(requests: readonly Received[]): Problems {
  const [first] = requests;
  return once((first && operationOf(first)) ?? 'the call', requests);
}
