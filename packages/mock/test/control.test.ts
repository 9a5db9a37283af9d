import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call, control, storage } from './helpers/calls.ts';
import { sendRaw } from './helpers/raw.ts';
import { getLink, upload } from './helpers/upload.ts';

const mock = await createMock();
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const api = (method: string, path: string, body?: unknown, headers = {}) =>
  control(mock, method, path, { body, headers });

test('health and the root respond to GET and HEAD with 200', async () => {
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/__mock/health', '/']) {
      expect((await call(mock, { method, path })).status).toBe(200);
    }
  }
  expect((await api('GET', 'health')).json).toEqual({ status: 'ok' });
});

test('reset clears files, calls, faults and the clock', async () => {
  await upload(mock, 'a.txt', 'x');
  session.faults.put('a', 'link:reset');
  session.clock.advance(3_600_000);
  expect((await api('POST', 'reset')).status).toBe(204);
  expect([session.files.list(), session.requests(), session.faults.list()]).toEqual([[], [], []]);
  expect(session.clock.now().getTime()).toBeLessThan(Date.now() + 3_600_000);
});

test('the clock advances', async () => {
  const before = session.clock.now().getTime();
  const { json } = await api('POST', 'clock', { advance: 3_600_000 });
  expect(Date.parse(json.now)).toBeGreaterThanOrEqual(before + 3_600_000);
  const later = await api('GET', 'clock');
  expect(Date.parse(later.json.now)).toBeGreaterThanOrEqual(Date.parse(json.now));
  const detail = 'advance must be a positive integer number of milliseconds.';
  for (const body of [{}, { advance: -1 }, { advance: '1h' }, { advance: 9e15 }, 5]) {
    expect(await api('POST', 'clock', body)).toMatchObject({ status: 400, json: { detail } });
  }
});

test('faults can be added, listed and deleted', async () => {
  const rule = { match: 'batchDelete', times: 9, code: 'SYS_ERR' };
  const name = encodeURIComponent('every call: code=1/2');
  const put = await api('PUT', `faults/${name}`, rule);
  expect(put).toMatchObject({ status: 200, json: { name: 'every call: code=1/2', ...rule } });
  expect((await api('GET', 'faults')).json).toEqual({ faults: [put.json] });
  expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(500);
  expect((await api('DELETE', `faults/${name}`)).status).toBe(204);
  expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(200);
  expect((await api('DELETE', 'faults/a')).status).toBe(404);
  const wrong = await api('PUT', 'faults/a', { latency: 'x' });
  expect(wrong.headers['content-type']).toBe('application/problem+json');
  expect(wrong.json).toMatchObject({ title: 'Bad Request', status: 400 });
  expect(wrong.json.detail).toContain('latency must be');
});

describe('files', () => {
  test('can be listed and read', async () => {
    await upload(mock, '报告/a b.html', '<script>alert(1)</script>', 'text/html');
    const { json } = await api('GET', 'files');
    expect(json.files).toEqual(session.files.list());
    const stored = { path: '报告/a b.html', size: 25, contentType: 'text/html' };
    expect(json.files).toMatchObject([stored]);
    const file = await api('GET', `files/${encodeURIComponent('报告')}/a%20b.html`);
    expect(file.text).toBe('<script>alert(1)</script>');
    expect(file.headers).toMatchObject({
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
    expect((await api('GET', 'files/none')).json.detail).toContain('There is no file none');
  });

  test('can be stored, and are served like uploads', async () => {
    const put = (path: string, body: string, headers = {}) =>
      call(mock, { method: 'PUT', path: `/__mock/files/${path}`, body, headers });
    const { json } = await put('a/b.css', 'a {}', { 'content-type': 'text/css' });
    expect(json).toBe('cloud://dev.files/a/b.css');
    const link = await fetch(await getLink(mock, json));
    expect([link.headers.get('content-type'), await link.text()]).toEqual(['text/css', 'a {}']);
    await put('empty', '');
    expect(session.files.get('empty')).toHaveLength(0);
    expect((await put('a/../b', 'x')).status).toBe(400);
    await using small = await createMock({ maxSessionBytes: 1_000 });
    const file = { method: 'PUT', path: '/__mock/files/a', body: 'x'.repeat(900) };
    expect((await call(small, file)).status).toBe(413);
    small.session('other').files.put('a', 'x'.repeat(400));
  });
});

describe('unknown calls', () => {
  test.each([
    ['GET', 'clocks', 404, 'the calls are GET health, POST reset, GET requests'],
    ['PATCH', 'clock', 405, 'PATCH is not allowed here: use GET, HEAD, POST.'],
    ['DELETE', 'health', 405, 'DELETE is not allowed here: use GET, HEAD.'],
    ['DELETE', '', 405, 'DELETE is not allowed here: use GET, HEAD.'],
    ['POST', 'main.js', 405, 'POST is not allowed here: use GET, HEAD.'],
    ['PUT', 'faults/', 400, 'name must not be empty'],
    ['GET', 'requests?limit=0', 400, 'limit must be a positive integer'],
  ])('%s %s is %d', async (method, path, status, message) => {
    const reply = await api(method, path);
    expect([reply.status, reply.json.detail]).toEqual([status, expect.stringContaining(message)]);
    if (status === 405) expect(reply.headers.allow).toContain('GET, HEAD');
  });

  test('bodies must be JSON, and not too large', async () => {
    const post = (body: string, headers: Record<string, string>) =>
      call(mock, { method: 'POST', path: '/__mock/clock', headers, body });
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('{', json)).text).toContain('The body is not valid JSON');
    expect((await post(`"${'x'.repeat(1024 * 1024)}"`, json)).status).toBe(413);
    expect((await api('GET', 'clock')).status).toBe(200);
  });
});

test.each([
  ['127.0.0.1', ['LOCALHOST:1', '127.1.2.3', '[::1]:5', 'dev.localhost', 'mock:4010'], 200],
  ['127.0.0.1', ['evil.example', 'localhost.evil.example', '192.168.0.1'], 421],
  ['0.0.0.0', ['192.168.0.1:4010'], 200],
  // Another name for every interface, like the name of a machine.
  ['0', ['192.168.0.1:4010', '[fe80::1]'], 200],
  ['0.0.0.0', ['evil.example'], 421],
])('a mock on %s, called as %j, responds with %i', async (host, names, status) => {
  await using listening = await createMock({ host });
  for (const name of names) {
    const reply = await control(listening, 'GET', 'health', { headers: { host: name } });
    expect([name, reply.status]).toEqual([name, status]);
  }
});

test('a call without a host is rejected', async () => {
  const reply = await sendRaw(mock, 'GET /__mock/health HTTP/1.0\r\n\r\n');
  expect(reply).toMatch(/421 Misdirected Request.*has no Host header/s);
});

describe('a page', () => {
  const post = (headers: object) => api('POST', 'clock', { advance: 1 }, headers);

  test.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  ])('of another origin may neither write nor read: %j', async (headers) => {
    const rejected = await post(headers);
    const detail = 'Pages from other origins may not use the control API.';
    expect(rejected).toMatchObject({ status: 403, json: { detail } });
    expect(rejected.headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = { ...headers, 'access-control-request-method': 'POST' };
    expect((await api('OPTIONS', 'clock', undefined, preflight)).status).toBe(403);
    expect((await api('GET', 'files', undefined, headers)).status).toBe(403);
  });

  test('of the mock itself may write; a user or a link from any page may open it', async () => {
    const origin = `http://127.0.0.1:${mock.port}`;
    expect((await post({ origin, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await api('GET', '', undefined, link)).status).toBe(200);
    const visit = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
    const { status, headers } = await api('GET', 'files', undefined, visit);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});
