import { connect } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { BEARER, gateway, gatewayPost, STORAGE_HEADERS, storage } from './helpers/calls.ts';
import { callUntilCut } from './helpers/raw.ts';
import { getGrant, getLink, upload } from './helpers/upload.ts';

const mock = await createMock();
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const HELLO = { path: '/v1/cloudrun/hello', headers: BEARER };
const fault = (text: string) => ({ 'x-mock-fault': text });
const lastRequest = () => session.requests().at(-1);

describe('the X-Mock-Fault header', () => {
  test('makes one call fail with a code, in the format of its surface', async () => {
    const refused = await gateway(mock, { ...HELLO, headers: fault('code=SERVICE_NOT_READY') });
    expect(refused).toMatchObject({ status: 503, json: { code: 'SERVICE_NOT_READY' } });
    expect(refused.json.requestId).toBe(refused.headers['x-request-id']);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'content-disposition': 'attachment',
      vary: 'Origin',
      'content-type': 'application/json',
    });
    expect((await gateway(mock, HELLO)).status).toBe(200);
    const body = { fileList: [] };
    const failed = await storage(mock, 'batchDelete', body, fault('code=SYS_ERR'));
    expect(failed).toMatchObject({ status: 500, json: { statusCode: 500 } });
    expect(failed.json.body).toMatchObject({
      code: 'SYS_ERR',
      requestId: failed.headers['x-request-id'],
    });
  });

  test('makes an upload and a link fail with an XML error', async () => {
    const grant = await getGrant(mock, 'a.txt');
    const slow = await fetch(grant.url, { method: 'POST', headers: fault('code=SlowDown') });
    expect(slow.status).toBe(503);
    expect(slow.headers.get('content-type')).toBe('application/xml');
    expect(await slow.text()).toContain('<Error><Code>SlowDown</Code>');
    const link = await getLink(mock, await upload(mock, 'a.txt', 'x'));
    const denied = await fetch(link, { headers: fault('code=AccessDenied') });
    expect(denied.status).toBe(403);
    expect(await (await fetch(link)).text()).toBe('x');
  });

  test('is in the log', async () => {
    await gateway(mock, { ...HELLO, headers: fault('code=SERVICE_TIMEOUT') });
    expect(lastRequest()).toMatchObject({
      operationId: 'cloudrun-get-root',
      service: 'hello',
      matched: true,
      faults: ['X-Mock-Fault'],
      response: { status: 504 },
    });
  });

  test.each([
    ['latency=x', 'X-Mock-Fault: latency must be a number of milliseconds'],
    ['code=SYS_ER', 'Do you mean SYS_ERR?'],
    ['code=SlowDown', 'X-Mock-Fault: code must be an error code of gateway: SERVICE_NOT_FOUND'],
    ['times=1,reset', 'X-Mock-Fault: times is not a field'],
    ['', 'X-Mock-Fault: The fault must be a comma-separated list'],
  ])('rejects %j with 400 and a message that names it', async (text, message) => {
    const { status, json } = await gateway(mock, { ...HELLO, headers: fault(text) });
    expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(json.message).toContain(message);
  });

  test('may be sent by a browser, whose preflight has no faults', async () => {
    session.faults.put('all', 'code=SERVICE_TIMEOUT,times=1');
    const preflight = await call(mock, {
      method: 'OPTIONS',
      path: HELLO.path,
      headers: {
        origin: 'http://a.test',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-mock-fault',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('x-mock-fault');
    expect((await gateway(mock, HELLO)).status).toBe(504);
  });
});

describe('a rule', () => {
  test('applies to the operation that it matches, as often as configured', async () => {
    session.faults.put('twice', 'batchDelete:code=SERVICE_UNAVAILABLE,times=2');
    const codes = [];
    for (let round = 0; round < 3; round += 1) {
      codes.push((await storage(mock, 'batchDelete', { fileList: [] })).status);
    }
    expect(codes).toEqual([503, 503, 200]);
    expect((await storage(mock, 'batchGetTempUrls', { fileList: [] })).status).toBe(200);
  });

  test('applies to the service that it matches', async () => {
    session.faults.put('orders', 'service:orders:code=SERVICE_FORBIDDEN');
    expect((await gateway(mock, { path: '/v1/cloudrun/orders/a/b' })).status).toBe(403);
    expect((await gatewayPost(mock, '/v1/cloudrun/orders', {})).status).toBe(403);
    expect((await gateway(mock, HELLO)).status).toBe(200);
  });

  test('that delays a call adds to the delay of another', async () => {
    session.faults.put('a', 'latency=1');
    session.faults.put('b', 'latency=2');
    expect((await gateway(mock, HELLO)).status).toBe(200);
    expect(lastRequest()?.faults).toEqual(['a', 'b']);
  });

  test('an option or text with an invalid field prevents the mock from starting', async () => {
    await expect(createMock({ faults: ['latency=x'] })).rejects.toThrow('latency must be');
    const wrong = { name: 'a', fault: { truncate: -1 } };
    await expect(createMock({ faults: [wrong] })).rejects.toThrow('faults[0].fault.truncate must');
    await using other = await createMock({ faults: ['reset,times=1'] });
    expect((await callUntilCut(other, HELLO)).error).toBe('ECONNRESET');
    expect((await callUntilCut(other, HELLO)).status).toBe(200);
    other.session().reset();
    expect(other.session().faults.list()).toMatchObject([{ name: 'fault-1', times: 1 }]);
  });
});

describe('a connection', () => {
  test('is reset before the response', async () => {
    for (const call of [HELLO, { path: '/', method: 'POST', body: 'x'.repeat(100_000) }]) {
      const cut = await callUntilCut(mock, {
        ...call,
        headers: { ...BEARER, ...fault('reset') },
      });
      expect(cut).toMatchObject({ status: undefined, error: 'ECONNRESET' });
    }
    expect(session.requests()).toMatchObject([{ faults: ['X-Mock-Fault'] }, {}]);
  });

  test.each([
    ['reset', 'ECONNRESET'],
    ['truncate=7', undefined],
  ])('%s ends with a TCP RST or a FIN: %s', async (text, code) => {
    const socket = connect(mock.port, '127.0.0.1');
    let error: NodeJS.ErrnoException | undefined;
    socket.on('error', (given) => {
      error = given;
    });
    socket
      .resume()
      .write(
        `GET ${HELLO.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\nX-Mock-Fault: ${text}\r\n\r\n`,
      );
    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    expect(error?.code).toBe(code);
  });

  test('is lost after 7 bytes of the body', async () => {
    const fileID = await upload(mock, 'a.txt', '0123456789');
    const { pathname, search } = new URL(await getLink(mock, fileID));
    const cut = await callUntilCut(mock, { path: pathname + search, headers: fault('truncate=7') });
    expect(cut).toMatchObject({ status: 200, contentLength: '10', error: 'ECONNRESET' });
    expect(cut.bytes.toString()).toBe('0123456');
    expect(lastRequest()?.response).toMatchObject({ status: 200, bodyBytes: 7 });
  });

  test('cuts off a JSON response and an error alike', async () => {
    const path = '/api/v2/envs/dev/storages:batchDelete';
    const post = { path, method: 'POST', body: '{"fileList":[]}' };
    for (const text of ['truncate=20', 'truncate=20,code=SYS_ERR']) {
      const headers = { ...STORAGE_HEADERS, ...fault(text) };
      const cut = await callUntilCut(mock, { ...post, headers });
      expect(cut.bytes.toString()).toMatch(/^\{"statusCode":\d/);
      expect(cut.bytes.length).toBe(20);
      expect(Number(cut.contentLength)).toBeGreaterThan(20);
      expect(cut.error).toBe('ECONNRESET');
    }
  });

  test('is complete if the body is short enough, and has only its head with truncate=0', async () => {
    const fileID = await upload(mock, 'a.txt', '0123456789');
    const { pathname, search } = new URL(await getLink(mock, fileID));
    const path = pathname + search;
    const none = await callUntilCut(mock, { path, headers: fault('truncate=0') });
    expect(none).toMatchObject({ status: 200, contentLength: '10', error: 'ECONNRESET' });
    expect(none.bytes.length).toBe(0);
    const whole = await callUntilCut(mock, { path, headers: fault('truncate=10') });
    expect([whole.bytes.toString(), whole.error]).toEqual(['0123456789', undefined]);
    const head = { path, method: 'HEAD', headers: fault('truncate=1') };
    expect(await callUntilCut(mock, head)).toMatchObject({ status: 200, error: undefined });
  });

  test('is cancelled if the client disconnects while it waits', async () => {
    session.faults.put('long', 'latency=1h,times=1');
    const controller = new AbortController();
    const pending = fetch(mock.url + HELLO.path, { headers: BEARER, signal: controller.signal });
    pending.catch(() => {});
    await expect.poll(() => session.faults.list()).toEqual([]);
    controller.abort();
    await expect.poll(() => session.requests()).toHaveLength(1);
  });
});

describe('a WebSocket', () => {
  /** Opens a WebSocket that greets; returns what is received until the connection ends, and its error. */
  async function open(headers: string): Promise<{ head: string; body: string; error?: string }> {
    const socket = connect(mock.port, '127.0.0.1').setEncoding('latin1');
    let text = '';
    let error: string | undefined;
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      error = code;
    });
    socket.on('data', (chunk) => {
      text += chunk;
      if (chunk.includes('service.')) socket.end();
    });
    socket.write(
      `GET ${HELLO.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n${headers}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { head, body, ...(error !== undefined && { error }) };
  }

  test('may be delayed', async () => {
    const { head, body } = await open('X-Mock-Fault: latency=1');
    expect([head.slice(0, 13), body]).toEqual([
      'HTTP/1.1 101 ',
      '\x81\x1eHello from the hosted service.',
    ]);
  });

  test.each([
    ['code=SERVICE_NOT_READY', 503, /retry-after: 1/i, 'SERVICE_NOT_READY'],
    ['reste', 400, /^connection: close/im, 'do you mean reset?'],
  ])('%s is an ordinary response before the upgrade', async (text, status, header, message) => {
    const { head, body } = await open(`Origin: http://localhost\r\nX-Mock-Fault: ${text}`);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(header);
    expect(head).toMatch(/access-control-allow-origin: http:\/\/localhost/i);
    expect(body).toContain(message);
  });

  test('is reset before the upgrade', async () => {
    expect(await open('X-Mock-Fault: reset')).toEqual({ head: '', body: '', error: 'ECONNRESET' });
  });
});
