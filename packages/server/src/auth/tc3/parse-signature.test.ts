import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MalformedSignature } from './malformed-signature.ts';
import { parseSignature } from './parse-signature.ts';

const HEX = '0123456789abcdef'.repeat(4);
const CREDENTIAL = 'Credential=me/2023-11-14/svc/tc3_request';
const HEADERS = 'SignedHeaders=content-type;host';
const SIGNATURE = `Signature=${HEX}`;
const TIME = 'Timestamp=1700000000';
const GATEWAY = ['Timestamp', 'Token'] as const;

const read = (...fields: string[]) => parseSignature(fields.join(', '), GATEWAY);

describe('what signers in use write', () => {
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
  test('a token that holds an equals sign', () => {
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
  ['an empty time', [CREDENTIAL, HEADERS, SIGNATURE, 'Timestamp=']],
  ['a negative time', [CREDENTIAL, HEADERS, SIGNATURE, 'Timestamp=-1']],
  ['a fraction of a second', [CREDENTIAL, HEADERS, SIGNATURE, 'Timestamp=1700000000.5']],
  ['a time in words', [CREDENTIAL, HEADERS, SIGNATURE, 'Timestamp=0x10']],
  ['a signature in capitals', [CREDENTIAL, HEADERS, `Signature=${HEX.toUpperCase()}`, TIME]],
  ['a short signature', [CREDENTIAL, HEADERS, 'Signature=abc', TIME]],
  [
    'a scope with more parts',
    ['Credential=a/b/2023-11-14/svc/tc3_request', HEADERS, SIGNATURE, TIME],
  ],
  ['a scope without its end', ['Credential=me/2023-11-14/svc', HEADERS, SIGNATURE, TIME]],
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
