import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { GatewayError, StorageError, toErrorXml, UploadError } from './errors.ts';
import { toResponse } from './runtime/index.ts';

const call = (method: string) =>
  ({ request: { method, headers: {} }, requestId: 'id-1', rawPath: '/up' }) as never;

test('a gateway error has the status, message and Retry-After of its code', () => {
  expect(new GatewayError('SERVICE_NOT_READY')[toResponse](call('POST'))).toEqual({
    status: 503,
    headers: { 'content-type': 'application/json', 'retry-after': '1', 'x-request-id': 'id-1' },
    body: {
      code: 'SERVICE_NOT_READY',
      message: 'The hosted service is not ready.',
      requestId: 'id-1',
    },
  });
});

test('a gateway error in response to a GET is an attachment (D8)', () => {
  const { headers } = new GatewayError('SERVICE_NOT_FOUND')[toResponse](call('GET'));
  expect(headers).toMatchObject({ 'content-disposition': 'attachment' });
});

test('message, status, Retry-After and headers can be set; the cause is never sent', () => {
  const cause = new Error('secret');
  const options = { message: 'Soon.', status: 520, retryAfter: 7, headers: { 'x-a': 'b' }, cause };
  const error = new GatewayError('SERVICE_NOT_READY', options);
  expect(error.cause).toBe(cause);
  const response = error[toResponse](call('POST'));
  expect(response).toMatchObject({
    status: 520,
    headers: { 'retry-after': '7', 'x-a': 'b' },
    body: { message: 'Soon.' },
  });
  expect(JSON.stringify(response)).not.toContain('secret');
});

test.each(['OUT_OF_COFFEE', 'toString', '__proto__'])(
  'a code of your own is 500 unless you say otherwise: %s',
  (code) => {
    expect(new StorageError(code).status).toBe(500);
    expect(new StorageError(code, { status: 418 }).status).toBe(418);
  },
);

test('a storage error is wrapped in the envelope, and statusCode equals the status (D20)', () => {
  expect(new StorageError('EXCEED_RATELIMIT')[toResponse](call('POST'))).toEqual({
    status: 429,
    headers: { 'retry-after': '1', 'x-request-id': 'id-1' },
    body: {
      statusCode: 429,
      body: { requestId: 'id-1', code: 'EXCEED_RATELIMIT', message: 'Too many calls.' },
    },
  });
});

test('an upload error is XML with the five elements (D27)', () => {
  const options = { message: 'Not <yours>.', resource: '/a&b.txt' };
  const response = new UploadError('AccessDenied', options)[toResponse](call('POST'));
  expect(response.status).toBe(403);
  expect(response.headers).toMatchObject({ 'content-type': 'application/xml' });
  expect(response.body).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code>' +
      '<Message>Not &lt;yours&gt;.</Message><Resource>/a&amp;b.txt</Resource>' +
      '<RequestId>id-1</RequestId><TraceId>id-1</TraceId></Error>',
  );
});

const parse = (xml: string) =>
  new XMLParser({ ignoreDeclaration: true, trimValues: false, parseTagValue: false }).parse(xml);

test('writes one element for each entry, in their order', () => {
  expect(toErrorXml({ Code: 'AccessDenied', Message: 'Expired.' })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Expired.</Message></Error>',
  );
});

test.each([
  '<Error>',
  '</Message><Code>SUCCESS',
  'a & b &lt;',
  ']]>',
  '"quoted"',
  '中文 😀',
  ' a\tb\n',
])('text survives escaping: %s', (text) => {
  expect(parse(toErrorXml({ Message: text }))).toEqual({ Error: { Message: text } });
});

test.each(['\u0000', '\u001B', '\uD800', '\uFFFF'])(
  'characters that XML does not allow are replaced',
  (text) => {
    expect(toErrorXml({ Message: text })).toContain('<Message>\uFFFD</Message>');
  },
);
