import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { BEARER, control, gateway, storage } from './helpers/calls.ts';
import { getLink, upload } from './helpers/upload.ts';

const mock = await createMock({ services: ['hello', 'orders'] });
const session = mock.session();
afterAll(() => mock.close());
beforeEach(() => session.reset());

const api = (method: string, path: string, body?: unknown, headers = {}) =>
  control(mock, method, path, { body, headers });
const HELLO = { path: '/v1/cloudrun/hello' };

describe('a snapshot', () => {
  test('restores files, clock, faults and states', async () => {
    const fileID = await upload(mock, '报告/a.bin', '\u0000binary\u00ff', 'image/png');
    await upload(mock, 'b.txt', '');
    await api('PUT', 'clock', { now: '2030-01-01T00:00:00.123Z', frozen: true });
    await api('PUT', 'faults/slow', { match: 'gateway', fault: 'callsPerSecond=1', times: 5 });
    await api('PUT', 'services/orders/state', { code: 'SERVICE_NOT_READY', for: '5s' });
    await gateway(mock, HELLO);
    await gateway(mock, HELLO);
    const files = session.files.list();
    const { json: snapshot } = await api('GET', 'snapshot');
    expect(snapshot).toMatchObject({
      version: 1,
      clock: { now: '2030-01-01T00:00:00.123Z', frozen: true },
      faults: { rules: [{ name: 'slow', times: 4 }], rates: { slow: { calls: 0 } } },
      services: { orders: { code: 'SERVICE_NOT_READY', until: '2030-01-01T00:00:05.123Z' } },
    });

    expect((await api('POST', 'reset')).status).toBe(204);
    expect(session.files.list()).toEqual([]);
    expect(session.clock.state()).toMatchObject({ offset: 0, frozen: false });
    expect((await gateway(mock, { path: '/v1/cloudrun/orders' })).status).toBe(200);

    expect((await api('POST', 'restore', snapshot)).status).toBe(204);
    expect((await api('GET', 'snapshot')).json).toEqual({
      ...snapshot,
      clock: { ...snapshot.clock, offset: expect.any(Number) },
    });
    expect(session.files.list()).toEqual(files);
    const link = await getLink(mock, fileID);
    const response = await fetch(link);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await response.text()).toBe('\u0000binary\u00ff');
    expect((await gateway(mock, HELLO)).status).toBe(429);
  });

  test('can be restored in another session and in another mock', async () => {
    await upload(mock, 'a.txt', 'x');
    const { json: snapshot } = await api('GET', 'snapshot');
    await api('POST', 'restore?session=other', snapshot);
    expect(mock.session('other').files.list()).toEqual(session.files.list());
    await using second = await createMock();
    await control(second, 'POST', 'restore', { body: snapshot });
    expect(second.session().snapshot().files).toEqual(snapshot.files);
  });

  test.each([
    ['version', 2, 'version must be 1'],
    ['clock', null, 'clock must be an object'],
    ['clock', { now: 'x', offset: 0, frozen: false }, 'clock.now must be a time'],
    ['files', {}, 'files must be an array'],
    ['files', [{ path: '../a' }], 'files[0].path must not contain the segment ".."'],
    ['faults', { rules: [{ name: 'a' }], random: 0, rates: {} }, 'faults.rules[0].fault must be'],
    ['services', { orders: { code: 'X' } }, 'services.orders.code must be'],
  ])('with an invalid %s is rejected, and changes nothing', async (field, value, message) => {
    await upload(mock, 'a.txt', 'x');
    const snapshot = session.snapshot();
    const { status, json } = await api('POST', 'restore', { ...snapshot, [field]: value });
    expect([status, json.detail]).toEqual([400, expect.stringContaining(message)]);
    expect(json.field).toBe(message.split(' ')[0]);
    expect(session.snapshot().files).toEqual(snapshot.files);
  });

  test('that does not fit changes nothing', async () => {
    await using small = await createMock({ maxStoreBytes: 20_000 });
    await upload(small, 'a.txt', 'x'.repeat(3_000));
    const snapshot = small.session().snapshot();
    const files = [8_000, 15_000].map((size) => ({
      ...(snapshot.files[0] as object),
      base64: Buffer.alloc(size).toString('base64'),
    }));
    const refused = await control(small, 'POST', 'restore', { body: { ...snapshot, files } });
    expect(refused.status).toBe(413);
    expect(refused.json.detail).toContain('reset the files first');
    expect(small.session().snapshot().files).toEqual(snapshot.files);
    // The space of the rejected snapshot is free again.
    await upload(small, 'b.txt', 'x'.repeat(10_000));
    await control(small, 'POST', 'restore', { body: snapshot });
    expect(small.session().snapshot().files).toEqual(snapshot.files);
  });
});

describe('reset', () => {
  test('clears what is requested', async () => {
    await upload(mock, 'a.txt', 'x');
    session.faults.put('a', 'link:reset');
    session.clock.freeze();
    const only = ['files', 'requests'];
    expect((await api('POST', 'reset', { only })).status).toBe(204);
    expect(session.files.list()).toEqual([]);
    expect(session.requests()).toEqual([]);
    expect(session.faults.list()).toHaveLength(1);
    expect(session.clock.state().frozen).toBe(true);
  });

  test.each([
    [
      { only: ['file'] },
      'only must be an array of any of: files, faults, clock, requests, services.',
    ],
    [{ only: 'files' }, 'only must be an array'],
    [{ ony: [] }, 'ony is not a field: do you mean only?'],
    [[], 'The body must be a JSON object with only.'],
  ])('rejects %j by name', async (body, message) => {
    const { status, json } = await api('POST', 'reset', body);
    expect([status, json.detail]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('the clock', () => {
  test('can be set, advanced, frozen and restored', async () => {
    const body = { now: '2030-01-01', advance: 1, frozen: true };
    const { json } = await api('PUT', 'clock', body);
    expect(json).toMatchObject({ now: '2030-01-01T00:00:00.001Z', frozen: true });
    await api('PUT', 'clock', { advance: '1m' });
    expect((await api('GET', 'clock')).json.now).toBe('2030-01-01T00:01:00.001Z');
    expect((await api('PUT', 'clock', { frozen: false })).json.frozen).toBe(false);
    await api('DELETE', 'clock');
    await api('PUT', 'clock', { advance: '1d' });
    const { json: snapshot } = await api('GET', 'snapshot');
    await api('POST', 'reset');
    await api('POST', 'restore', snapshot);
    expect(session.clock.state()).toMatchObject({ offset: 86_400_000, frozen: false });
  });

  test.each([
    [{}, 'must contain now, advance or frozen'],
    [{ now: 'tomorrow' }, 'now must be a time'],
    [{ now: -1 }, 'now must be a time'],
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
    const rule = { match: 'batchDelete', share: 1, fault: { code: 'SYS_ERR' } };
    const name = encodeURIComponent('every call: code=1/2');
    const put = await api('PUT', `faults/${name}`, rule);
    expect(put).toMatchObject({ status: 200, json: { name: 'every call: code=1/2', ...rule } });
    expect((await api('GET', 'faults')).json).toEqual({ faults: [put.json] });
    expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(500);
    expect((await api('DELETE', `faults/${name}`)).status).toBe(204);
    expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(200);
    await api('PUT', 'faults/a', rule);
    expect((await api('DELETE', 'faults')).status).toBe(204);
    expect((await api('GET', 'faults')).json).toEqual({ faults: [] });
  });

  test('that do not exist, or are invalid, are reported', async () => {
    const missing = await api('DELETE', 'faults/a');
    expect(missing).toMatchObject({ status: 404, json: { field: 'name' } });
    const wrong = await api('PUT', 'faults/a', { fault: { latency: 'x' } });
    expect(wrong.headers['content-type']).toBe('application/problem+json');
    expect(wrong.json).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      field: 'fault.latency',
    });
  });
});

describe('the files', () => {
  test('can be listed, read and deleted', async () => {
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
    expect((await api('DELETE', path)).status).toBe(204);
    expect((await api('GET', path)).status).toBe(404);
    expect((await api('DELETE', path)).json.detail).toContain('There is no file 报告/a b.html');
  });
});

describe('the services', () => {
  test.each([
    ['orders', { code: 'NOT_READY' }, 'code must be READY or a gateway error code'],
    ['orders', { code: 'SERVICE_NOT_READY', for: '5y' }, 'for must be milliseconds'],
    ['orders', {}, 'code must be'],
    ['other', { code: 'SERVICE_TIMEOUT' }, 'name must be the name of a service: '],
  ])('%s with %j is rejected by name', async (name, body, message) => {
    const { status, json } = await api('PUT', `services/${name}/state`, body);
    expect([status, json.detail]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('unknown endpoints', () => {
  test.each([
    ['GET', 'clocks', 404, 'do you mean clock?'],
    ['GET', '', 404, 'the endpoints are health'],
    ['GET', 'requests/none', 404, 'The log has no call'],
    ['PATCH', 'clock', 405, 'Use GET, PUT, DELETE, not PATCH.'],
    ['POST', 'services', 405, 'Use GET, not POST.'],
    ['GET', 'requests?unmached=true', 400, 'unmached is not a field: do you mean unmatched?'],
    ['GET', 'requests?unmatched=yes', 400, 'unmatched must be true or false'],
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
    const chunked = await call(mock, {
      method: 'PUT',
      path: '/__mock/api/clock',
      headers: { ...json, 'transfer-encoding': 'chunked' },
      body: `"${'x'.repeat(1024 * 1024)}"`,
    });
    expect(chunked.status).toBe(413);
    expect((await api('GET', 'clock')).status).toBe(200);
  });

  test('HEAD is GET without a body', async () => {
    const { status, headers, text } = await api('HEAD', 'clock');
    expect([status, text]).toEqual([200, '']);
    expect(Number(headers['content-length'])).toBeGreaterThan(20);
  });

  test('a path that only begins like it belongs to the gateway', async () => {
    const { json } = await call(mock, { path: '/__mocks', headers: BEARER });
    expect(json.code).toBe('INVALID_PATH');
  });
});
