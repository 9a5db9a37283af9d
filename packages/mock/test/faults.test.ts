import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FAULT_KINDS } from '../src/faults/fault-kinds.ts';
import { createMock } from '../src/index.ts';
import { BEARER, call, gateway, STORAGE_HEADERS, storage } from './helpers/calls.ts';
import { askForWebSocket, callUntilCut, HANDSHAKE, sendRaw } from './helpers/raw.ts';
import { getLink, upload } from './helpers/upload.ts';

const mock = await createMock();
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const HELLO = { path: '/v1/cloudrun/hello', headers: BEARER };
const BATCH_DELETE = '/api/v2/envs/dev/storages:batchDelete';
const fault = (text: string) => ({ 'x-mock-fault': text });
/** As messages list them. */
const KINDS = Object.keys(FAULT_KINDS).join(', ');
const lastRequest = () => session.requests().at(-1);

describe('the X-Mock-Fault header', () => {
  const gatewayError = expect.stringMatching(/^\{"code":"\w+","message":".*","requestId":"\S+"\}$/);
  const storageError = expect.stringMatching(/^\{"statusCode":\d+,"body":\{"requestId":/);
  const bearer = { 'www-authenticate': expect.stringMatching(/^Bearer realm=/) };
  const apiKey = { 'www-authenticate': expect.stringContaining('name="X-Svc-Authorization"') };
  test.each<[string, string, number, object, unknown]>([
    [HELLO.path, 'SERVICE_NOT_READY', 503, { 'retry-after': '1' }, gatewayError],
    [HELLO.path, 'ACCESS_TOKEN_EXPIRED', 401, bearer, gatewayError],
    [BATCH_DELETE, 'SYS_ERR', 500, {}, storageError],
    [BATCH_DELETE, 'SIGN_PARAM_INVALID', 401, apiKey, storageError],
    ['/', 'SlowDown', 503, {}, expect.stringContaining('<Error><Code>SlowDown</Code>')],
    ['/files/a', 'AccessDenied', 403, {}, expect.stringContaining('<Code>AccessDenied</Code>')],
  ])('makes a call to %s fail with %s', async (path, code, status, headers, text) => {
    // The header replaces the rules, which do not count the call.
    const rule = session.faults.put('once', 'latency=1,reset,times=1');
    const reply = await call(mock, { method: 'POST', path, headers: fault(`code=${code}`) });
    expect(reply).toMatchObject({ status, headers, text });
    expect(reply.headers['content-length']).toBe(`${Buffer.byteLength(reply.text)}`);
    expect(reply.text).toContain(code);
    const id = reply.headers['x-request-id'];
    expect(lastRequest()).toMatchObject({ id, faults: ['X-Mock-Fault'] });
    expect(session.faults.list()).toEqual([rule]);
  });

  test.each([
    ['code=SlowDown', 'X-Mock-Fault: code must be an error code of gateway: SERVICE_NOT_FOUND'],
    ['times=1,reset', /^X-Mock-Fault: times is not a fault: .* A rule, .*, may also have match/],
    ['batchDelete:reset', 'X-Mock-Fault: batchDelete:reset is not a fault'],
  ])('rejects %j with 400 and a message that names it', async (text, message) => {
    const { status, json } = await gateway(mock, { ...HELLO, headers: fault(text) });
    expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(json.message).toMatch(message);
    expect(session.requests().at(-1)).toMatchObject({ service: 'hello' });
  });

  test('may be sent by a browser, whose preflight has no faults', async () => {
    session.faults.put('all', 'code=SERVICE_TIMEOUT,times=1');
    const headers = {
      origin: 'http://a.test',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-mock-fault',
    };
    const preflight = await call(mock, { method: 'OPTIONS', path: HELLO.path, headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('x-mock-fault');
    expect((await gateway(mock, HELLO)).status).toBe(504);
    const reason = expect.stringMatching(/^SERVICE_TIMEOUT: /);
    expect(lastRequest()).toMatchObject({ status: 504, reason, faults: ['all'] });
  });
});

describe('a rule', () => {
  test('applies to the operation or service that it matches, as often as configured', async () => {
    session.faults.put('twice', 'batchDelete:code=SERVICE_UNAVAILABLE,times=2');
    for (const status of [503, 503, 200]) {
      expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(status);
    }
    session.faults.put('orders', 'service:orders:code=SERVICE_FORBIDDEN');
    expect((await gateway(mock, { path: '/v1/cloudrun/orders/a/b' })).status).toBe(403);
    expect((await gateway(mock, HELLO)).status).toBe(200);
  });

  test('adds its delay to those of others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    session.faults.put('slow', 'latency=20000');
    session.faults.put('slower', 'latency=40000');
    const reply = gateway(mock, HELLO);
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await reply).status).toBe(200);
  });

  test('skips a code that its surface does not define', async () => {
    session.faults.put('slow', 'latency=1,code=SERVICE_TIMEOUT');
    expect((await fetch(`${mock.url}/files/none`)).status).toBe(403);
    expect(lastRequest()).toMatchObject({ surface: 'link', faults: ['slow'] });
  });

  test('is neither logged nor counted after a fault that ends the call', async () => {
    session.faults.put('first', 'reset');
    session.faults.put('second', 'code=SERVICE_TIMEOUT,times=1');
    expect((await callUntilCut(mock, HELLO)).error).toBe('ECONNRESET');
    expect(lastRequest()).toMatchObject({ faults: ['first'] });
    session.faults.delete('first');
    expect((await gateway(mock, HELLO)).status).toBe(504);
  });

  test('from the list may be added again, under another name', () => {
    session.faults.put('a', 'latency=1');
    const [rule = ''] = session.faults.list();
    expect(session.faults.put('b', rule)).toEqual({ name: 'b', latency: 1 });
  });

  test.each([
    ['name=slow,latency=2', 'name is not a fault'],
    ['', 'The fault must be a list of fields'],
    ['latency=', 'latency must be an integer'],
    ['latency=1,latency=1', 'latency must not be repeated'],
    ['match=storage,reset', 'match must come before the faults, as in storage:reset'],
    ['latency=3600001', 'at most one hour'],
    ['code=SERVICE_TIMEOUTS', 'code must be a code from one'],
    ['truncate=1.5', 'truncate must be an integer'],
    ['latencie=1', `latencie is not a fault: the faults are ${KINDS}. A rule, unlike X-Mock-`],
    ['__proto__=1', '__proto__ is not a fault'],
    ['batchDelet:reset', /^match must be service:<name>, .*\)\. Did you mean batchDelete\?$/],
    [{ match: { toString: 1 }, reset: true }, 'match must be'],
    ['uploadFile:code=SYS_ERR', 'code must be an error code of upload: AccessDenied'],
    ['service:x:y:latency=1', 'match: x:y is not a valid service name'],
    ['service:hello', 'The fault is missing: add one, such as service:hello:latency=200'],
    ['times=0,reset', 'times must be a positive integer'],
    ['times=2', `The fault must contain at least one of ${KINDS}`],
    [null, 'The fault must be a rule'],
  ])('is rejected with the name of an invalid field: %.40j', (rule, message) => {
    expect(() => session.faults.put('a', rule as string)).toThrow(message);
    expect(session.faults.list()).toEqual([]);
  });

  test('has only kinds that the README lists', async () => {
    const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    const documented = Array.from(readme.matchAll(/^\| `(\w+)[^|]*` +\| /gm), ([, name]) => name);
    expect(documented).toEqual(expect.arrayContaining(Object.keys(FAULT_KINDS)));
  });

  test('from the options starts again after a reset', async () => {
    await using other = await createMock({ faults: ['reset,times=1'] });
    expect((await callUntilCut(other, HELLO)).error).toBe('ECONNRESET');
    expect((await callUntilCut(other, HELLO)).status).toBe(200);
    other.session().reset();
    expect(other.session().faults.list()).toMatchObject([{ name: 'fault-1', times: 1 }]);
  });
});

describe('a connection', () => {
  test.each([
    ['reset', 'ECONNRESET'],
    ['truncate=7', undefined],
  ])('%s ends with a TCP RST or a FIN: %s', async (text, code) => {
    const socket = connect(mock.port, '127.0.0.1').resume();
    const head = `GET ${HELLO.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n`;
    socket.write(`${head}X-Mock-Fault: ${text}\r\n\r\n`);
    // Rejects with the error of the connection, if there is one.
    const error = await once(socket, 'close').catch((cause) => cause);
    expect(error.code).toBe(code);
  });

  test.each([
    [['truncate=0'], '', ['truncate=0']],
    [['truncate=7'], '0123456', ['truncate=7']],
    [['truncate=10'], '0123456789', []],
    [['truncate=9', 'link:truncate=7'], '0123456', ['truncate=9', 'link:truncate=7']],
    [['truncate=7', 'link:truncate=9'], '0123456', ['truncate=7']],
  ])('closes after this many bytes if the body has more: %j', async (rules, body, faults) => {
    const link = new URL(await getLink(mock, await upload(mock, 'a.txt', '0123456789')));
    for (const rule of rules) session.faults.put(rule, `${rule},times=1`);
    const cut = await callUntilCut(mock, { path: link.pathname + link.search });
    const error = faults.length === 0 ? undefined : 'ECONNRESET';
    expect(cut).toEqual({ status: 200, contentLength: '10', error, bytes: Buffer.from(body) });
    expect(lastRequest()).toMatchObject({ status: 200, faults });
    const left = session.faults.list().map(({ name }) => name);
    expect(left).toEqual(rules.filter((rule) => !faults.includes(rule)));
  });

  test('truncates chunked bodies, but not if the rule was deleted and added again meanwhile', async () => {
    async function* body() {
      faults.delete('cut');
      yield Buffer.from('0123');
      faults.put('cut', 'truncate=3,times=1');
      yield Buffer.from('4567');
    }
    const hello = () => new Response(ReadableStream.from(body()));
    await using other = await createMock({ services: { hello } });
    const { faults } = other.session();
    faults.put('cut', 'truncate=3,times=1');
    const complete = await callUntilCut(other, HELLO);
    expect([`${complete.bytes}`, complete.error]).toEqual(['01234567', undefined]);
    const headers = { ...BEARER, ...fault('truncate=7') };
    const cut = await callUntilCut(other, { ...HELLO, headers });
    expect([`${cut.bytes}`, cut.error]).toEqual(['0123456', 'ECONNRESET']);
  });

  test('truncates JSON responses and errors alike', async () => {
    const post = { path: BATCH_DELETE, method: 'POST', body: '{"fileList":[]}' };
    for (const text of ['truncate=20', 'truncate=20,code=SYS_ERR']) {
      const headers = { ...STORAGE_HEADERS, ...fault(text) };
      const cut = await callUntilCut(mock, { ...post, headers });
      expect(cut.bytes.toString()).toMatch(/^\{"statusCode":\d/);
      expect([cut.bytes.length, cut.error]).toEqual([20, 'ECONNRESET']);
    }
  });
});

describe('a WebSocket', () => {
  const opening = (text: string) => ({ ...HELLO, headers: { ...HANDSHAKE, ...fault(text) } });

  test.each([
    ['code=SERVICE_NOT_READY', 503, 'SERVICE_NOT_READY'],
    ['reste', 400, `reste is not a fault: the faults are ${KINDS}`],
  ])('%s responds before the upgrade', async (text, status, message) => {
    const reply = await gateway(mock, opening(text));
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
  });

  test('does not count for a rule that only truncates bodies, nor does any call without one', async () => {
    session.faults.put('cut', 'gateway:truncate=3,times=1');
    expect((await askForWebSocket(`${mock.url}/v1/cloudrun/echo`)).statusCode).toBe(101);
    expect((await gateway(mock, { ...HELLO, method: 'HEAD' })).status).toBe(200);
    expect((await gateway(mock, { path: '/v1/cloudrun/echo/status/204' })).status).toBe(204);
    const empty = { method: 'POST', path: '/v1/cloudrun/echo/body', body: '' };
    expect((await gateway(mock, empty)).text).toBe('');
    expect(session.requests()).toMatchObject(Array(4).fill({ faults: [] }));
    expect(await callUntilCut(mock, { ...HELLO })).toMatchObject({ error: 'ECONNRESET' });
    expect(session.faults.list()).toEqual([]);
  });

  test('is reset before the upgrade, and ends in the log if its client closes it', async () => {
    expect(await callUntilCut(mock, opening('reset'))).toMatchObject({ error: 'ECONNRESET' });
    const { path, headers } = opening('latency=3600000');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    await sendRaw(mock, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n`);
    await expect.poll(lastRequest).toMatchObject({ ms: expect.any(Number), status: undefined });
  });
});
