import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { control, storage } from './helpers/calls.ts';
import { getLink, upload } from './helpers/upload.ts';

const mock = await createMock();
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const api = (method: string, path: string, body?: unknown, headers = {}) =>
  control(mock, method, path, { body, headers });

test('reset clears files, calls, faults and the clock', async () => {
  await upload(mock, 'a.txt', 'x');
  session.faults.put('a', 'link:reset');
  session.clock.set({ now: '2030-01-01', frozen: true });
  expect((await api('POST', 'reset')).status).toBe(204);
  expect(session.files.list()).toEqual([]);
  expect(session.requests()).toEqual([]);
  expect(session.faults.list()).toEqual([]);
  expect(session.clock.state()).not.toMatchObject({ frozen: true });
});

describe('the clock', () => {
  test('can be set, advanced and frozen', async () => {
    const body = { now: '2030-01-01', advance: 1, frozen: true };
    const { json } = await api('PUT', 'clock', body);
    expect(json).toEqual({ now: '2030-01-01T00:00:00.001Z', frozen: true });
    await api('PUT', 'clock', { advance: '1m' });
    expect((await api('GET', 'clock')).json.now).toBe('2030-01-01T00:01:00.001Z');
    expect((await api('PUT', 'clock', { frozen: false })).json.frozen).toBe(false);
  });

  test.each([
    [{}, 'must contain now, advance or frozen'],
    [{ now: 'tomorrow' }, 'now must be a time'],
    [{ advance: '1y' }, 'advance must be milliseconds'],
    [{ advance: 9e15 }, 'advance must be milliseconds'],
    [{ frozen: 'yes' }, 'frozen must be true or false'],
    [{ freeze: true }, 'freeze is not a field'],
  ])('rejects %j by name', async (body, message) => {
    const { status, json } = await api('PUT', 'clock', body);
    expect([status, json.detail]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('the faults', () => {
  test('can be added, listed and deleted', async () => {
    const rule = { match: 'batchDelete', times: 9, code: 'SYS_ERR' };
    const name = encodeURIComponent('every call: code=1/2');
    const put = await api('PUT', `faults/${name}`, rule);
    expect(put).toMatchObject({ status: 200, json: { name: 'every call: code=1/2', ...rule } });
    expect((await api('GET', 'faults')).json).toEqual({ faults: [put.json] });
    expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(500);
    expect((await api('DELETE', `faults/${name}`)).status).toBe(204);
    expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(200);
  });

  test('that do not exist, or are invalid, are reported', async () => {
    const missing = await api('DELETE', 'faults/a');
    expect(missing).toMatchObject({ status: 404, json: { field: 'name' } });
    const wrong = await api('PUT', 'faults/a', { latency: 'x' });
    expect(wrong.headers['content-type']).toBe('application/problem+json');
    expect(wrong.json).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      field: 'latency',
    });
  });
});

describe('the files', () => {
  test('can be listed and read', async () => {
    await upload(mock, '报告/a b.html', '<script>alert(1)</script>', 'text/html');
    const { json } = await api('GET', 'files');
    expect(json.files).toEqual(session.files.list());
    expect(json.files).toMatchObject([
      { path: '报告/a b.html', size: 25, contentType: 'text/html' },
    ]);
    const path = `files/${encodeURIComponent('报告')}/a%20b.html`;
    const file = await api('GET', path);
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
      call(mock, { method: 'PUT', path: `/__mock/api/files/${path}`, body, headers });
    const headers = { 'content-type': 'text/css', 'content-length': 4 };
    expect((await put('a/b.css', 'a {}', headers)).status).toBe(204);
    const link = await fetch(await getLink(mock, 'cloud://dev.files/a/b.css'));
    expect([link.headers.get('content-type'), await link.text()]).toEqual(['text/css', 'a {}']);
    expect((await put('empty', '')).status).toBe(204);
    expect(session.files.read('empty')).toHaveLength(0);
    expect((await put('a/../b', 'x', { 'content-length': 1 })).status).toBe(400);
    await using small = await createMock({ maxStoreBytes: 1_000 });
    expect(small.session().files.put('a', 'x'.repeat(900))).toBe(false);
    expect(small.session().files.put('a', 'x'.repeat(400))).toBe(true);
  });
});

describe('unknown endpoints', () => {
  test.each([
    ['GET', 'clocks', 404, 'do you mean clock?'],
    ['PATCH', 'clock', 405, 'Use GET, PUT, not PATCH.'],
    ['GET', 'requests?unmached=true', 400, 'unmached is not a field: do you mean unmatched?'],
    ['GET', 'requests?limit=0', 400, 'limit must be a positive integer'],
    ['GET', 'files/%', 400, 'invalid percent-encoding'],
  ])('%s %s is %d', async (method, path, status, message) => {
    const reply = await api(method, path);
    expect([reply.status, reply.json.detail]).toEqual([status, expect.stringContaining(message)]);
    if (status === 405) expect(reply.headers.allow).toContain('GET');
  });

  test('bodies must be JSON, and not too large', async () => {
    const post = (body: string, headers: object) =>
      call(mock, {
        method: 'PUT',
        path: '/__mock/api/clock',
        headers: { 'content-length': Buffer.byteLength(body), ...headers },
        body,
      });
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect((await post('{}', {})).status).toBe(415);
    expect((await post('{', json)).text).toContain('The body is not valid JSON');
    expect((await post(`"${'x'.repeat(1024 * 1024)}"`, json)).status).toBe(413);
    expect((await api('GET', 'clock')).status).toBe(200);
  });
});
