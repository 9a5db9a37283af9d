import { afterAll, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { BEARER, STORAGE_HEADERS } from './helpers/calls.ts';
import { sendRaw } from './helpers/raw.ts';

const mock = await createMock();
afterAll(() => mock.close());

const HOST = 'host: localhost\r\nconnection: close\r\n';
const TOKEN = 'authorization: Bearer a\r\n';

test.each([
  ['no HTTP', 'nonsense\r\n\r\n', 400],
  ['a space in the path', `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['two lengths', `POST / HTTP/1.1\r\n${HOST}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
  ['a huge header', `GET / HTTP/1.1\r\n${HOST}a: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [
    'two hosts',
    `GET /v1/cloudrun/hello HTTP/1.1\r\n${HOST}host: prod.example\r\n${TOKEN}\r\n`,
    400,
  ],
  ['no host', `GET /v1/cloudrun/hello HTTP/1.1\r\nconnection: close\r\n${TOKEN}\r\n`, 400],
  ['HTTP/1.0', `GET /v1/cloudrun/hello HTTP/1.0\r\n${TOKEN}\r\n`, 400],
  ['CONNECT', `CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['an unknown expectation', `POST /nowhere HTTP/1.1\r\n${HOST}expect: tea\r\n\r\n`, 404],
])('%s', async (_, bytes, status) => {
  const reply = await sendRaw(mock, bytes);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const [, id] = /\r\nx-request-id: (\S+)/i.exec(reply) ?? [];
  expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({ requestId: id });
});

test.each([
  ['the gateway', '/v1/cloudrun/hello', 'application/json', '"code":"INVALID_REQUEST"'],
  ['storage', '/api/v2/envs/dev/storages:batchDelete', 'application/json', '{"statusCode":400'],
  ['the upload target', '/', 'multipart/form-data; boundary=b', '<Code>MalformedPOSTRequest<'],
])(
  'responds to a body with broken chunks for %s in the format of that surface',
  async (_, path, type, text) => {
    const credentials = Object.entries({ ...STORAGE_HEADERS, ...BEARER, 'content-type': type });
    const headers = credentials.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const head = `POST ${path} HTTP/1.1\r\n${HOST}${headers}transfer-encoding: chunked\r\n\r\n`;
    const reply = await sendRaw(mock, `${head}ZZ\r\n`);
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
    expect(reply).toContain(text);
    expect(reply).toMatch(/x-request-id: \S{36}\r/);
  },
);

test('an invalid request after a complete one does not overtake its response', async () => {
  const request =
    'GET /v1/cloudrun/hello HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer a\r\n';
  const reply = await sendRaw(mock, `${request}\r\n${request}\r\nnonsense\r\n\r\n`);
  expect(reply.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('broken data after a refusal gets no second response', async () => {
  const head = `POST /nowhere HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n`;
  const reply = await sendRaw(mock, head, 'ZZ\r\n');
  expect(reply.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404']);
});
