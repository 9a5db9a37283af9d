import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';

const mock = await createMock({ origins: ['*'] });
afterAll(() => mock.close());

const SURFACES = [
  ['gateway', '/v1/cloudrun/hello/a', 'GET, HEAD, POST, OPTIONS'],
  ['storage', '/api/v2/envs/dev/storages:batchDelete', 'POST, OPTIONS'],
  ['upload', '/', 'POST, OPTIONS'],
  ['link', '/files/hello.txt', 'GET, HEAD, OPTIONS'],
  ['unknown path', '/nowhere', 'GET, HEAD, POST, OPTIONS'],
] as const;

describe.each(SURFACES)('%s', (_, path, methods) => {
  test('handles OPTIONS as a preflight, without credentials', async () => {
    const { status, headers, bytes } = await call(mock, { method: 'OPTIONS', path });
    expect(status).toBe(204);
    expect(bytes.length).toBe(0);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      'access-control-max-age': '600',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(headers).not.toHaveProperty('content-length');
  });

  test("the preflight allows the contract's headers and the mock's own", async () => {
    const { headers } = await call(mock, { method: 'OPTIONS', path });
    expect(headers['access-control-allow-headers']?.split(', ')).toEqual([
      'Authorization',
      'Content-Type',
      'Last-Event-ID',
      'Range',
      'X-Svc-Authorization',
      'X-Svc-SessionToken',
      'X-Svc-TimeStamp',
      'Prefer',
      'X-Mock-Session',
      'X-Mock-Fault',
    ]);
  });

  test('pages from other origins can read an error', async () => {
    const { status, headers } = await call(mock, { method: 'PUT', path });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual([
      'X-Request-Id',
      'Retry-After',
      'ETag',
      'Content-Range',
      'Content-Disposition',
      'Date',
      'X-Svc-Upstream-Status-Code',
    ]);
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
  });
});
