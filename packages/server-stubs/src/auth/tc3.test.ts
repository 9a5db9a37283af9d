import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { signGatewayRequest, signStorageRequest } from './sign-request.ts';
import {
  decodeWire,
  MalformedSignature,
  parseSignature,
  sha256,
  toContentTypeSpellings,
  toScopeDate,
  toStorageCanonicalRequest,
} from './tc3.ts';

/** Published for platforms that implement this API, with a service and hosts that differ from ours. */
const service = 'tcb';

const JSON_TYPE = 'application/json; charset=utf-8';

describe('the published vectors', () => {
  const credential = { id: 'AKIDEXAMPLE', secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' };
  test.each([
    {
      method: 'POST',
      target: '/v1/cloudrun/helloworld/abc',
      type: JSON_TYPE,
      body: '{"key1":"v1"}',
      hex: '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
    },
    {
      method: 'GET',
      target: '/v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD',
      type: JSON_TYPE,
      body: '',
      hex: '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
    },
    {
      method: 'POST',
      target: '/v1/cloudrun/svc-1',
      type: 'application/json',
      body: '{"msg":"你好"}',
      hex: '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
    },
  ])('$method $target is signed as published', ({ method, target, type, body, hex }) => {
    const headers = { 'content-type': type, host: 'env-abc.api.tcloudbasegateway.com' };
    const timestamp = 1_700_000_000;
    const request = { method, target, headers, body, timestamp, service };
    expect(signGatewayRequest(credential, request)).toBe(
      `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/tcb/tc3_request, SignedHeaders=content-type;host, Signature=${hex}, Timestamp=1700000000`,
    );
  });

  test('the storage text and its signature are as published', () => {
    const signingHost = 'api.tcloudbase.com';
    const text = toStorageCanonicalRequest(signingHost, JSON_TYPE);
    expect(sha256(text)).toBe('0b986c5cd287577210de28ce0ff9167ada0dbb88736b07ce307b45615a49307e');
    const id = 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8';
    const secret = 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=';
    const timestamp = 1_600_227_242;
    expect(signStorageRequest({ id, secret }, { timestamp, service, signingHost })).toEqual({
      'X-Svc-Authorization': `1.0 TC3-HMAC-SHA256 Credential=${id}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`,
      'X-Svc-SessionToken': '',
      'X-Svc-TimeStamp': '1600227242',
    });
  });
});

const HEX = '0123456789abcdef'.repeat(4);

const CREDENTIAL = 'Credential=me/2023-11-14/svc/tc3_request';

const HEADERS = 'SignedHeaders=content-type;host';

const SIGNATURE = `Signature=${HEX}`;

const TIME = 'Timestamp=1700000000';

const GATEWAY = ['Timestamp', 'Token'] as const;

const read = (...fields: string[]) => parseSignature(fields.join(', '), GATEWAY);

describe('signatures as existing signers write them', () => {
  const expected = {
    id: 'me',
    date: '2023-11-14',
    service: 'svc',
    signedHeaders: ['content-type', 'host'],
    signature: HEX,
    timestamp: 1_700_000_000,
    token: '',
  };
  test('the documented form', () => {
    expect(read(CREDENTIAL, HEADERS, SIGNATURE, TIME)).toEqual(expected);
  });
  test.each([
    ['no space after commas', [CREDENTIAL, HEADERS, SIGNATURE, TIME].join(',')],
    ['spaces and tabs around fields', [CREDENTIAL, HEADERS, SIGNATURE, TIME].join(' \t,  ')],
    ['fields in another order', [TIME, SIGNATURE, HEADERS, CREDENTIAL].join(', ')],
    ['an empty token', [CREDENTIAL, HEADERS, SIGNATURE, TIME, 'Token='].join(', ')],
    [
      'names unsorted and in capitals',
      [CREDENTIAL, 'SignedHeaders=Host;Content-Type', SIGNATURE, TIME].join(', '),
    ],
  ])('%s', (_name, text) => {
    expect(parseSignature(text, GATEWAY)).toEqual(expected);
  });
  test('a token that contains an equals sign', () => {
    expect(read(CREDENTIAL, HEADERS, SIGNATURE, TIME, 'Token=ab+/==').token).toBe('ab+/==');
  });
});

test.each([
  ['nothing', []],
  ['a field twice', [CREDENTIAL, CREDENTIAL, HEADERS, SIGNATURE, TIME]],
  ['a field nobody knows', [CREDENTIAL, HEADERS, SIGNATURE, TIME, 'Extra=1']],
  ['a field of a prototype', [CREDENTIAL, HEADERS, SIGNATURE, TIME, '__proto__=1']],
  ['an empty field', [CREDENTIAL, HEADERS, SIGNATURE, TIME, '']],
  ['no credential', [HEADERS, SIGNATURE, TIME]],
  ['no list of headers', [CREDENTIAL, SIGNATURE, TIME]],
  ['no signature', [CREDENTIAL, HEADERS, TIME]],
  ['no time', [CREDENTIAL, HEADERS, SIGNATURE]],
  ['a fraction of a second', [CREDENTIAL, HEADERS, SIGNATURE, 'Timestamp=1700000000.5']],
  ['a signature in capitals', [CREDENTIAL, HEADERS, `Signature=${HEX.toUpperCase()}`, TIME]],
  ['a short signature', [CREDENTIAL, HEADERS, 'Signature=abc', TIME]],
  [
    'a scope with more parts',
    ['Credential=a/b/2023-11-14/svc/tc3_request', HEADERS, SIGNATURE, TIME],
  ],
  [
    'a scope of another end',
    ['Credential=me/2023-11-14/svc/aws4_request', HEADERS, SIGNATURE, TIME],
  ],
  ['an empty id', ['Credential=/2023-11-14/svc/tc3_request', HEADERS, SIGNATURE, TIME]],
  ['a header twice', [CREDENTIAL, 'SignedHeaders=host;Host', SIGNATURE, TIME]],
  ['an empty name of a header', [CREDENTIAL, 'SignedHeaders=host;;date', SIGNATURE, TIME]],
  ['a space in a list of headers', [CREDENTIAL, 'SignedHeaders=host; date', SIGNATURE, TIME]],
  ['9 kB', [CREDENTIAL, HEADERS, SIGNATURE, TIME, `Token=${'x'.repeat(9000)}`]],
])('%s is refused', (_name, fields) => {
  expect(() => read(...fields)).toThrow(MalformedSignature);
});

test('storage signatures have neither time nor token of their own', () => {
  const fields = [CREDENTIAL, HEADERS, SIGNATURE];
  expect(parseSignature(fields.join(', '), []).id).toBe('me');
  for (const more of [TIME, 'Token=x']) {
    expect(() => parseSignature([...fields, more].join(', '), [])).toThrow(MalformedSignature);
  }
});

test('no refusal quotes what was sent', () => {
  for (const text of [
    'hush',
    'hush=1',
    `${SIGNATURE},hush`,
    'Credential=hush',
    `Token=${SIGNATURE}`,
  ]) {
    let refusal: unknown;
    try {
      parseSignature(text, GATEWAY);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(MalformedSignature);
    expect(inspect(refusal, { showHidden: true })).not.toMatch(/hush|0123456789abcdef/);
  }
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

test('non-ASCII bytes are signed as UTF-8', () => {
  expect(decodeWire(Buffer.from('/中').toString('latin1'))).toBe('/中');
  expect(() => decodeWire('\u00ff\u00fe')).toThrow(MalformedSignature);
});

test('the date of a scope is the UTC date', () => {
  expect(toScopeDate(1_700_000_000)).toBe('2023-11-14');
  expect(toScopeDate(1_700_006_399)).toBe('2023-11-14');
  expect(toScopeDate(1_700_006_400)).toBe('2023-11-15');
});
