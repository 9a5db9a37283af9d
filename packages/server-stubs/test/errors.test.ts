import { GatewayError, StorageError, toResponse, UploadError } from '@berth/server-stubs/contract';
import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';

const call = (method: string) =>
  ({ request: { method, headers: {} }, requestId: 'id-1', rawPath: '/up' }) as never;

test('message, status, Retry-After and other headers can be set; the cause is never sent', () => {
  const cause = new Error('secret');
  const names = ['Content-Disposition', 'X-Request-Id', 'Content-Type'];
  const replaced = Object.fromEntries(names.map((name) => [name, 'inline']));
  const sent = { message: 'Soon.', status: 520, retryAfter: 7, cause };
  const headers = { 'x-a': 'b', ...replaced };
  const error = new GatewayError('SERVICE_NOT_READY', { ...sent, headers });
  expect(error.cause).toBe(cause);
  const response = error[toResponse](call('GET'));
  expect(response).toMatchObject({
    status: 520,
    headers: { 'retry-after': '7', 'x-a': 'b' },
    body: { message: 'Soon.' },
  });
  expect(JSON.stringify(response)).not.toMatch(/secret|inline/);
});

test.each(['OUT_OF_COFFEE', 'toString', '__proto__'])('a code of your own is 500: %s', (code) => {
  expect(new StorageError(code).status).toBe(500);
  expect(new StorageError(code, { status: 418 }).status).toBe(418);
});

test.each([
  ['<Error>', '<Error>'],
  ['</Message><Code>SUCCESS', '</Message><Code>SUCCESS'],
  ['a & b &lt; ]]> "中文 😀"\t\r\n', 'a & b &lt; ]]> "中文 😀"\t\r\n'],
  ['\u0000\u001B\uD800\uFFFF', '\uFFFD'.repeat(4)],
])('XML has the text %j, or replaces what it does not allow', (text, expected) => {
  const options = { ignoreDeclaration: true, trimValues: false, htmlEntities: true };
  const { body } = new UploadError('InternalError', { message: text })[toResponse](call('POST'));
  expect(new XMLParser(options).parse(String(body)).Error.Message).toBe(expected);
});
