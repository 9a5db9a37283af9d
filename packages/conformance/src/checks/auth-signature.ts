import type { CheckContext } from '../context/check-context.ts';
import { toMultipart } from '../context/upload-client.ts';
import type { Tc3Parts } from '../credentials/sign-tc3.ts';
import type { HeaderList } from '../http/exchange.ts';
import { type Check, defineCheck } from './check.ts';
import { expectLetThrough } from './support/gateway.ts';
import {
  defineSignatureCheck,
  JSON_TYPE,
  keysOf,
  type NamedSignedCalls,
  now,
  reachSignature,
  type SignedCall,
  signCall,
} from './support/signed-calls.ts';

/** Long enough that a gateway may pass the beginning on before it has seen the end. */
const LONG = 65_536;

const PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'] as const;

const DAY = 86_400;

function changeEnd(signature: string): string {
  const end = signature.slice(32).replace(/./g, (digit) => (digit === '0' ? '1' : '0'));
  return signature.slice(0, 32) + end;
}

const BOUNDARY = 'Conformance-Boundary';

/** Paths as they may be sent; each is signed just so. */
const PATHS = [
  '',
  '/a/b',
  '/a//b',
  '/a/',
  '/a%2Fb',
  '/a%2fb',
  '/%E4%B8%AD%E6%96%87',
  '/%e4%b8%ad',
  '/a%20b',
  "/a+b~c!d'e(f)*g",
  '/a:b@c;d=e,f$g&h',
];

/** Paths that are much like the one that was signed. */
const REWRITTEN_PATHS: Record<string, readonly [signed: string, sent: string]> = {
  'for another path': ['/a/b', '/a/c'],
  'for the path above': ['/a', '/a/b'],
  'for the root': ['', '/a'],
  'without the slash at the end': ['/a/b', '/a/b/'],
  'with one slash for two': ['/a/b', '/a//b'],
  'with the escape decoded': ['/a/A', '/a/%41'],
  'with a letter escaped': ['/a/%41', '/a/A'],
  'with the slash decoded': ['/a/b', '/a%2Fb'],
  'with the escape in small letters': ['/a%2fb', '/a%2Fb'],
  'with the escape escaped': ['/a%252Fb', '/a%2Fb'],
  'in small letters': ['/a/b', '/A/b'],
};

/** Query strings as they may be sent; each is signed just so. */
const QUERIES = [
  'a=1',
  'b=2&a=1',
  'a=2&a=1',
  'a',
  'a=',
  'a=1&&b==2&',
  'a=%20+b',
  'a=%E4%B8%AD&%e4%b8%ad=1',
  'a=/b?c',
  "a=~!'()*,;:@$",
  'a%5B%5D=1',
];

/** Query strings that are much like the one that was signed. */
const REWRITTEN_QUERIES: Record<string, readonly [signed: string, sent: string]> = {
  'for another value': ['a=1', 'a=2'],
  'without a query': ['', 'a=1'],
  'without the last parameter': ['a=1', 'a=1&b=2'],
  'in another order': ['a=1&b=2', 'b=2&a=1'],
  'with + for %20': ['a=1+2', 'a=1%202'],
  'with the escape decoded': ['a=A', 'a=%41'],
  'with the escape in small letters': ['a=%2f', 'a=%2F'],
  'with an equals sign more': ['a=', 'a'],
  'with a name once that is sent twice': ['a=1', 'a=1&a=2'],
};

const ONE = ['X-Conformance-One', 'one'] as const;

const TWO = ['X-Conformance-Two', 'two words, and a comma'] as const;

export const authSignature: readonly Check[] = [
  defineSignatureCheck('AU-TC3-FORM', (_, mark) => {
    const path = `/form?mark=${mark}`;
    const post = { path, headers: [JSON_TYPE], body: '{"a":1}' };
    const bad: NamedSignedCalls = {
      'GET with nothing after TC3-HMAC-SHA256': { path, change: () => ({}) },
      'GET with a Credential that is the id alone': {
        path,
        change: ({ Credential, ...rest }) => ({
          Credential: Credential.split('/')[0] ?? '',
          ...rest,
        }),
      },
      'GET with a Credential without tc3_request': {
        path,
        change: ({ Credential, ...rest }) => ({
          Credential: Credential.split('/').slice(0, 3).join('/'),
          ...rest,
        }),
      },
    };
    for (const part of PARTS) {
      const lack = ({ [part]: _value, ...rest }: Tc3Parts) => rest;
      bad[`GET without ${part}`] = { path, change: lack };
      bad[`POST without ${part}`] = { ...post, change: lack };
      bad[`GET with an empty ${part}`] = { path, change: (parts) => ({ ...parts, [part]: '' }) };
    }
    return { good: { 'a GET': { path: '/form' }, 'a POST': { ...post, path: '/form' } }, bad };
  }),
  defineSignatureCheck('AU-TC3-KEY', (t, mark) => {
    const path = `/key?mark=${mark}`;
    const post = { path, headers: [JSON_TYPE], body: '{"a":1}' };
    const { secretId, secretKey, service } = keysOf(t);
    /** Signs with one scope, and names that of a good signature in the header. */
    const misname = (keys: SignedCall['keys'], from: RegExp, to: string): SignedCall => ({
      path,
      keys: keys ?? {},
      change: (parts) => ({ ...parts, Credential: parts.Credential.replace(from, to) }),
    });
    const date = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
    return {
      bad: {
        'GET signed with another secret': { path, keys: { secretKey: `${secretKey}x` } },
        'POST signed with another secret': { ...post, keys: { secretKey: `${secretKey}x` } },
        'GET signed with an empty secret': { path, keys: { secretKey: '' } },
        'GET of an unknown id': { path, keys: { secretId: `${secretId}x` } },
        'GET of an unknown id with an empty secret': {
          path,
          keys: { secretId: `${secretId}x`, secretKey: '' },
        },
        'POST of an unknown id with an empty secret': {
          ...post,
          keys: { secretId: `${secretId}x`, secretKey: '' },
        },
        'GET signed for another service than the header names': misname(
          { service: `${service}x` },
          /[^/]*\/tc3_request$/,
          `${service}/tc3_request`,
        ),
        'GET signed for this service, whose header names another': misname(
          {},
          /[^/]*\/tc3_request$/,
          `${service}x/tc3_request`,
        ),
        'GET whose header names the day before': misname({}, /\d{4}-\d\d-\d\d/, date(now() - DAY)),
        'GET signed with the first half of the signature right': {
          path,
          change: ({ Signature, ...rest }) => ({ Signature: changeEnd(Signature), ...rest }),
        },
        'GET with half a signature': {
          path,
          change: ({ Signature, ...rest }) => ({ Signature: Signature.slice(0, 32), ...rest }),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-TIMESTAMP', (_, mark) => {
    const path = `/time?mark=${mark}`;
    const later = (seconds: number) => (parts: Tc3Parts) => ({
      ...parts,
      Timestamp: String(Number(parts.Timestamp) + seconds),
    });
    return {
      bad: {
        'GET with a Timestamp one second later than signed': { path, change: later(1) },
        'GET with a Timestamp one second earlier than signed': { path, change: later(-1) },
        'GET with a Timestamp half a minute later than signed': { path, change: later(30) },
        'POST with a Timestamp one second later than signed': {
          ...{ path, headers: [JSON_TYPE], body: '{"a":1}' },
          change: later(1),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-METHOD', (_, mark) => {
    const path = `/method?mark=${mark}`;
    return {
      bad: {
        'POST signed as a GET': {
          ...{ path, headers: [JSON_TYPE], body: '{"a":1}' },
          instead: { method: 'GET' },
        },
        'POST without a body signed as a GET': { path, method: 'POST', instead: { method: 'GET' } },
        'GET signed as a POST': { path, instead: { method: 'POST' } },
        'GET signed as a get in small letters': { path, instead: { method: 'get' } },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-PATH', (_, mark) => {
    const post = { headers: [JSON_TYPE], body: '{"a":1}' };
    const good: NamedSignedCalls = {};
    for (const path of PATHS) good[`GET of ${path || 'the root'}`] = { path };
    good['POST to /%E4%B8%AD%E6%96%87/a%2Fb'] = { ...post, path: '/%E4%B8%AD%E6%96%87/a%2Fb' };
    const bad: NamedSignedCalls = {};
    for (const [what, [signed, sent]] of Object.entries(REWRITTEN_PATHS)) {
      const call = { path: `${sent}?mark=${mark}`, instead: { path: signed } };
      bad[`GET of ${sent} signed ${what}`] = call;
      if (what === 'for another path') bad[`POST to ${sent} signed ${what}`] = { ...post, ...call };
    }
    return { good, bad };
  }),
  defineSignatureCheck('AU-TC3-QUERY', (_, mark) => {
    const post = { headers: [JSON_TYPE], body: '{"a":1}' };
    const good: NamedSignedCalls = {};
    for (const query of QUERIES) good[`GET with ?${query}`] = { path: `/query?${query}` };
    good['POST with ?b=2&a=%E4%B8%AD'] = { ...post, path: '/query?b=2&a=%E4%B8%AD' };
    const bad: NamedSignedCalls = {};
    for (const [what, [signed, sent]] of Object.entries(REWRITTEN_QUERIES)) {
      const query = [signed, `mark=${mark}`].filter((one) => one !== '').join('&');
      const call = { path: `/query?${sent}&mark=${mark}`, instead: { query } };
      bad[`GET with ?${sent} signed ${what}`] = call;
      if (what === 'for another value')
        bad[`POST with ?${sent} signed ${what}`] = { ...post, ...call };
    }
    bad['GET with a query signed without any'] = {
      path: `/query?mark=${mark}`,
      instead: { query: '' },
    };
    return { good, bad };
  }),
  defineSignatureCheck('AU-TC3-BODY', (t, mark) => {
    const good = { path: '/body', headers: [JSON_TYPE] };
    const post = { ...good, path: `/body?mark=${mark}` };
    const signed = (text: string) => ({ instead: { body: Buffer.from(text) } });
    const long = (end: string) => JSON.stringify({ a: 'a'.repeat(LONG), end });
    return {
      good: {
        'POST of an object': { ...good, body: '{"a":1}' },
        'POST of Chinese': { ...good, body: '{"msg":"你好"}' },
        'POST of 64 KiB': { ...good, body: long('1') },
        // A gateway may want a body; a token shows whether this one does.
        ...(t.settings.gatewayToken && {
          'POST without a body': { path: '/body', method: 'POST' },
        }),
      },
      bad: {
        'POST of one changed byte': { ...post, body: '{"a":2}', ...signed('{"a":1}') },
        'POST of an added space': { ...post, body: '{"a": 1}', ...signed('{"a":1}') },
        'POST of a body signed without one': { ...post, body: '{"a":1}', ...signed('') },
        'POST without the body that was signed': { ...post, body: '', ...signed('{"a":1}') },
        'POST of 64 KiB whose end is changed': { ...post, body: long('2'), ...signed(long('1')) },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-SIGNED-HEADERS', (t, mark) => {
    const host = ['Host', t.gateway.host] as const;
    const body = '{"a":1}';
    const path = '/headers';
    const bad = `${path}?mark=${mark}`;
    const many: HeaderList = Array.from({ length: 20 }, (_, index) => [
      `X-Conformance-${index}`,
      `value ${index}`,
    ]);
    const changed: HeaderList = [['X-Conformance-One', 'two']];
    return {
      good: {
        'GET that signs host alone': { path, headers: [ONE], signed: [host] },
        'GET that signs another header': { path, headers: [ONE] },
        'GET that signs one header of two': { path, headers: [ONE, TWO], signed: [host, TWO] },
        'GET that signs 20 headers': { path, headers: [JSON_TYPE, ...many] },
        'POST that signs host alone': { path, headers: [JSON_TYPE], body, signed: [host] },
        'POST that signs content-type and host': { path, headers: [JSON_TYPE], body },
        'POST that signs every header': { path, headers: [JSON_TYPE, ONE, TWO], body },
      },
      bad: {
        'GET with a signed header changed': { path: bad, headers: changed, signed: [host, ONE] },
        'GET without a header that was signed': { path: bad, signed: [host, ONE] },
        'GET with a signed header twice': {
          path: bad,
          headers: [ONE, ...changed],
          signed: [host, ONE],
        },
        'POST with a signed header changed': {
          ...{ path: bad, headers: [JSON_TYPE, ...changed], body },
          signed: [host, JSON_TYPE, ONE],
        },
        'POST with its signed content type changed': {
          ...{ path: bad, headers: [['Content-Type', 'application/json']], body },
          signed: [host, JSON_TYPE],
        },
        'GET signed for another host': { path: bad, signed: [['Host', `x${t.gateway.host}`]] },
        'GET with a header that is listed but was not signed': {
          ...{ path: bad, headers: [ONE], signed: [host] },
          change: (parts) => ({ ...parts, SignedHeaders: 'host;x-conformance-one' }),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-HOST', (t, mark) => {
    const path = `/host?mark=${mark}`;
    const decoy = ['X-Host', t.gateway.host] as const;
    return {
      bad: {
        'GET that signs content-type alone': { path, headers: [JSON_TYPE], signed: [JSON_TYPE] },
        'GET that signs x-host': { path, headers: [decoy], signed: [decoy] },
        'POST that signs content-type alone': {
          ...{ path, headers: [JSON_TYPE], body: '{"a":1}' },
          signed: [JSON_TYPE],
        },
      },
    };
  }),
  /** Only what is normal is sent here: a verifier that is lax beside it breaks nothing. */
  defineSignatureCheck('AU-TC3-NORMAL-FORM', () => {
    const path = '/normal';
    const body = '{"a":1}';
    return {
      good: {
        'GET with the name of a signed header in capitals': {
          path,
          headers: [['X-CONFORMANCE', 'a']],
        },
        'GET with the names of signed headers in no order': {
          path,
          headers: [
            ['x-c', '3'],
            ['X-B', '2'],
            ['x-a', '1'],
          ],
        },
        'GET with capitals in a signed value': { path, headers: [['X-Conformance', 'Some VALUE']] },
        'GET with spaces around a signed value': {
          path,
          headers: [['X-Conformance', '  value  ']],
        },
        'GET with spaces inside a signed value': { path, headers: [['X-Conformance', 'a   b']] },
        'POST with capitals in its content type': {
          ...{ path, body },
          headers: [['Content-Type', 'Application/JSON; Charset=UTF-8']],
        },
        'POST with the name of its content type in capitals': {
          ...{ path, body },
          headers: [['CONTENT-TYPE', JSON_TYPE[1]]],
        },
      },
    };
  }),
  defineCheck('AU-TC3-MULTIPART', ['fixture', 'signature'], async (t: CheckContext) => {
    await reachSignature(t);
    const body = toMultipart([['field', 'value']], BOUNDARY).toString();
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const form: SignedCall = { path: '/form', body, headers: [['Content-Type', type]] };
    const tight: SignedCall = { ...form, headers: [['Content-Type', type.replace(' ', '')]] };
    const kept = { instead: { boundary: 'kept' } } as const;
    const spellings = {
      'POST of a form signed without the boundary': signCall(t, form),
      'POST of a form signed with the boundary': signCall(t, { ...form, ...kept }),
      'POST of a form without spaces signed without the boundary': signCall(t, tight),
      'POST of a form without spaces signed with the boundary': signCall(t, { ...tight, ...kept }),
    };
    // A gateway may refuse forms as such (D13); then nothing can be learnt about their signature.
    const plain = { path: '/form', headers: form.headers ?? [], body };
    let isTaken = false;
    for (const call of [plain, ...Object.values(spellings)]) {
      const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
      isTaken ||= t.fixture.readEcho(exchange) !== undefined;
      if (isTaken) break;
    }
    t.apply(isTaken, 'the gateway takes no multipart/form-data');
    await expectLetThrough(t, spellings);
  }),
  defineSignatureCheck('AU-TC3-SPACES', () => {
    const path = '/spaces';
    const post = { path, headers: [JSON_TYPE], body: '{"a":1}' };
    return {
      good: {
        'GET with a space after the commas': { path, separator: ', ' },
        'GET without a space after the commas': { path, separator: ',' },
        'POST with a space after the commas': { ...post, separator: ', ' },
        'POST without a space after the commas': { ...post, separator: ',' },
      },
    };
  }),
];
