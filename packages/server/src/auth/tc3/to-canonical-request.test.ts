import { expect, test } from 'vitest';
import { decodeWire } from './decode-wire.ts';
import { MalformedSignature } from './malformed-signature.ts';
import { EMPTY_HASH, toCanonicalHead, toStorageCanonicalRequest } from './to-canonical-request.ts';
import { toContentTypeSpellings, toSignedValue } from './to-signed-value.ts';
import { toScopeDate } from './to-string-to-sign.ts';

test('path and query are signed as they came', () => {
  const headers = [['host', 'dev.example']] as const;
  const request = { method: 'GET', path: '/v1/cloudrun/a/%2F//b', query: 'x=%20&&y', headers };
  expect(toCanonicalHead(request)).toBe(
    'GET\n/v1/cloudrun/a/%2F//b\nx=%20&&y\nhost:dev.example\n\nhost\n',
  );
});

test('the storage text is constant', () => {
  expect(toStorageCanonicalRequest('api.example', 'application/json; charset=utf-8')).toBe(
    `POST\n//api.example/\n\ncontent-type:application/json; charset=utf-8\nhost:api.example\n\ncontent-type;host\n${EMPTY_HASH}`,
  );
});

test('values are trimmed and lower-cased, a content type is only trimmed', () => {
  expect(toSignedValue('x-name', ' Some VALUE ')).toBe('some value');
  expect(toSignedValue('content-type', ' Text/Plain; Charset=UTF-8 ')).toBe(
    'Text/Plain; Charset=UTF-8',
  );
});

test.each([
  ['application/json; charset=utf-8', ['application/json; charset=utf-8']],
  ['multipart/form-data', ['multipart/form-data']],
  ['multipart/form-data; boundary=x', ['multipart/form-data', 'multipart/form-data; boundary=x']],
  ['Multipart/Form-Data;boundary=x', ['Multipart/Form-Data', 'Multipart/Form-Data;boundary=x']],
  ['multipart/mixed; boundary=x', ['multipart/mixed; boundary=x']],
])('%s may be signed as %j', (type, spellings) => {
  expect(toContentTypeSpellings(type)).toEqual(spellings);
});

test('bytes beyond ASCII are signed as the UTF-8 that they are', () => {
  expect(decodeWire(Buffer.from('/中').toString('latin1'))).toBe('/中');
  expect(() => decodeWire('\u00ff\u00fe')).toThrow(MalformedSignature);
});

test('the date of a scope is the UTC date', () => {
  expect(toScopeDate(1_700_000_000)).toBe('2023-11-14');
  expect(toScopeDate(1_700_006_399)).toBe('2023-11-14');
  expect(toScopeDate(1_700_006_400)).toBe('2023-11-15');
});
