import { type OutgoingHttpHeaders, request } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';

const LISTED = 'https://app.example.com';
const mock = await createMock({ origins: [LISTED] });
afterAll(() => mock.close());

describe.each<[string, string, OutgoingHttpHeaders?]>([
  ['gateway', '/v1/cloudrun/hello/a'],
  ['storage', '/api/v2/envs/dev/storages:batchDelete'],
  ['upload', '/'],
  ['link', '/files/hello.txt'],
  ['a fault', '/v1/cloudrun/hello', { 'x-mock-fault': 'code=SERVICE_TIMEOUT' }],
])('%s', (_, path, headers = {}) => {
  const from = (origin: string, method: string) =>
    call(mock, { method, path, headers: { ...headers, origin } });

  test.each(['GET', 'OPTIONS'])(
    'pages of a listed origin may read %s, others not',
    async (method) => {
      expect((await from(LISTED, method)).headers).toMatchObject({
        'access-control-allow-origin': LISTED,
        vary: 'Origin',
      });
      const other = await from('https://other.example.com', method);
      expect(other.headers).not.toHaveProperty('access-control-allow-origin');
      expect(other.headers.vary).toBe('Origin');
    },
  );
});

test.each([
  [LISTED, 101],
  ['https://other.example.com', 403],
])('%s opens a WebSocket: %i', async (origin, status) => {
  expect(await upgradeStatus(origin)).toBe(status);
});

test('what no browser sends as an origin is refused by name', async () => {
  await expect(createMock({ origins: ['app.example.com'] })).rejects.toThrow(
    'origins must be such as https://app.example.com, which app.example.com is not.',
  );
});

function upgradeStatus(origin: string): Promise<number> {
  const outgoing = request(`${mock.url}/v1/cloudrun/hello`, {
    agent: false,
    headers: {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      ...{ 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', authorization: 'Bearer any', origin },
    },
  }).end();
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject).on('response', ({ statusCode = 0 }) => resolve(statusCode));
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve(101);
    });
  });
}
