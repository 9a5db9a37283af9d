import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { toMultipart } from '../context/upload-client.ts';
import type { Tc3Parts } from '../credentials/sign-tc3.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { HeaderList } from '../http/exchange.ts';
import {
  arrivesChanged,
  assertClock,
  changeLetters,
  expectForwarded,
  expectRefused,
  keysOf,
  type NamedCalls,
  now,
  type SignedCall,
  signCall,
} from './support/credentials.ts';

type SignedCalls = Record<string, SignedCall>;

const JSON_TYPE: HeaderList[number] = ['Content-Type', 'application/json; charset=utf-8'];

const POST = { headers: [JSON_TYPE], body: '{"a":1}' } as const satisfies SignedCall;

/**
 * Ends a check whose invalid signatures prove nothing, because the gateway rejects even a valid one. AU-SIGNATURE
 * covers that failure.
 */
const reachSignature = (t: CheckContext): Promise<void> =>
  t.once('a valid signature is accepted', () => trySignature(t));

async function trySignature(t: CheckContext): Promise<void> {
  await assertClock(t);
  for (const call of [{}, POST]) {
    const signed = signCall(t, { path: '/signed?a=1', ...call });
    const exchange = await t.gateway.call(signed);
    const isForwarded = t.fixture.readEcho(exchange) !== undefined;
    const { status } = exchange.received;
    t.reach(isForwarded, `the response to a ${signed.method} with a valid signature was ${status}`);
  }
}

/**
 * Defines the check for a rule about signatures.
 *
 * @param toCases creates `good` calls, which must be accepted, and `bad` calls, which must be rejected and
 *   must not reach the hosted service. The service counts those with this query
 */
function defineSignatureCheck(
  rule: SentenceId,
  toCases: (t: CheckContext, query: string) => { good?: SignedCalls; bad?: SignedCalls },
): Check {
  return defineCheck(rule, ['fixture', 'signature'], async (t) => {
    await reachSignature(t);
    const signAll = (calls: SignedCalls, path: string) =>
      Object.fromEntries(
        Object.entries(calls).map(([what, call]) => [what, signCall(t, { path, ...call })]),
      );
    const { good = {}, bad } = toCases(t, '');
    await expectForwarded(t, signAll(good, '/signed'), arrivesChanged);
    if (bad === undefined) return;
    const toBad = (query: string) => signAll(toCases(t, query).bad ?? {}, `/signed?${query}`);
    await expectRefused(t, toBad, arrivesChanged);
  });
}

const PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'] as const;

const DAY = 86_400;

const changing =
  (part: (typeof PARTS)[number], to: (value: string) => string) =>
  (parts: Tc3Parts): Tc3Parts => ({ ...parts, [part]: to(parts[part]) });

const lacking =
  (part: (typeof PARTS)[number]) =>
  ({ [part]: _, ...rest }: Tc3Parts): Partial<Tc3Parts> =>
    rest;

const later = (seconds: number) =>
  changing('Timestamp', (value) => String(Number(value) + seconds));

/** Paths as they may be sent; each is signed exactly as sent. */
const PATHS = [
  '',
  '/a//b/',
  '/a%2Fb%2fc',
  '/%E4%B8%AD/%e4%b8%ad',
  "/a+b~c!d'e(f)*g:h@i;j=k,l$m&n%20o",
];

const REWRITTEN_PATHS: Record<string, readonly [signed: string, sent: string]> = {
  'signed for another path': ['/a/b', '/a/c'],
  'signed for the root': ['', '/a'],
  'signed with a single slash instead of two': ['/a/b', '/a//b'],
  'signed with the escape decoded': ['/a/A', '/a/%41'],
  'signed with the slash decoded': ['/a/b', '/a%2Fb'],
  'signed with a lowercase escape': ['/a%2fb', '/a%2Fb'],
  'signed with the slash escaped twice': ['/a%252Fb', '/a%2Fb'],
  'signed in lower case': ['/a/b', '/A/b'],
};

/** Query strings as they may be sent; each is signed exactly as sent. */
const QUERIES = [
  'b=2&a=1&a=0',
  'a',
  'a=1&&b==2&',
  'a=%20+b&c=%E4%B8%AD&%e4%b8%ad=1',
  "a=/b?c~!'()*,;:@$&a%5B%5D=1",
];

const REWRITTEN_QUERIES: Record<string, readonly [signed: string, sent: string]> = {
  'signed for another value': ['a=1', 'a=2'],
  'signed without the last parameter': ['a=1', 'a=1&b=2'],
  'signed in another order': ['a=1&b=2', 'b=2&a=1'],
  'signed with the escape decoded': ['a=A', 'a=%41'],
  'signed with a lowercase escape': ['a=%2f', 'a=%2F'],
  'signed without the second value of a repeated parameter': ['a=1', 'a=1&a=2'],
};

/** Long enough that a gateway may forward the beginning before it has seen the end. */
const toLong = (end: string) => JSON.stringify({ a: 'a'.repeat(65_536), end });

const ONE = ['X-Conformance-One', 'one'] as const;
const OTHER_ONE = ['X-Conformance-One', 'two'] as const;
const TWO = ['X-Conformance-Two', 'two words, and a comma'] as const;
const MANY: HeaderList = Array.from({ length: 20 }, (_, index) => [
  `X-Conformance-${index}`,
  `value ${index}`,
]);

const BOUNDARY = 'Conformance-Boundary';

export const authSignature: readonly Check[] = [
  defineSignatureCheck('AU-TC3-FORM/1', () => {
    const bad: SignedCalls = {
      'a GET with nothing after TC3-HMAC-SHA256': { change: () => ({}) },
      'a GET whose Credential contains only the ID': {
        change: changing('Credential', (value) => value.split('/')[0] ?? ''),
      },
      'a GET with a Credential without tc3_request': {
        change: changing('Credential', (value) => value.split('/').slice(0, 3).join('/')),
      },
    };
    for (const part of PARTS) {
      bad[`a GET without ${part}`] = { change: lacking(part) };
      bad[`a POST without ${part}`] = { ...POST, change: lacking(part) };
      bad[`a GET with an empty ${part}`] = { change: changing(part, () => '') };
    }
    return { good: { 'a GET': {}, 'a POST': POST }, bad };
  }),
  defineSignatureCheck('AU-TC3-KEY', (t) => {
    const { secretId, secretKey, service } = keysOf(t);
    const otherKey = { secretKey: `${secretKey}x` };
    const unknown = { secretId: `${secretId}x`, secretKey: '' };
    /** Returns cases whose header names another scope than the one that was signed. */
    const naming = (from: RegExp, to: string) =>
      changing('Credential', (value) => value.replace(from, to));
    const scope = /[^/]*\/tc3_request$/;
    const dayBefore = new Date((now() - DAY) * 1000).toISOString().slice(0, 10);
    return {
      bad: {
        'a GET signed with another secret': { keys: otherKey },
        'a POST signed with another secret': { ...POST, keys: otherKey },
        'a GET signed with an empty secret': { keys: { secretKey: '' } },
        'a GET with an unknown secret ID': { keys: { secretId: `${secretId}x` } },
        'a GET with an unknown secret ID and an empty secret': { keys: unknown },
        'a POST with an unknown secret ID and an empty secret': { ...POST, keys: unknown },
        'a GET signed for a service other than the one in the header': {
          keys: { service: `${service}x` },
          change: naming(scope, `${service}/tc3_request`),
        },
        'a GET signed for this service, but with another service in the header': {
          change: naming(scope, `${service}x/tc3_request`),
        },
        'a GET with the date of the previous day in the header': {
          change: naming(/\d{4}-\d\d-\d\d/, dayBefore),
        },
        'a GET with a signature that is correct only at the beginning': {
          change: changing('Signature', (value) => changeLetters(value, 32)),
        },
        'a GET with a truncated signature': {
          change: changing('Signature', (value) => value.slice(0, 32)),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-COVERS/1', () => ({
    bad: {
      'a GET whose Timestamp was increased by one second after signing': { change: later(1) },
      'a GET whose Timestamp was decreased by one second after signing': { change: later(-1) },
      'a GET whose Timestamp was increased by 30 seconds after signing': { change: later(30) },
      'a POST whose Timestamp was increased by one second after signing': {
        ...POST,
        change: later(1),
      },
    },
  })),
  defineSignatureCheck('AU-TC3-COVERS/2', () => ({
    bad: {
      'a POST signed as a GET': { ...POST, instead: { method: 'GET' } },
      'a POST without a body, signed as a GET': { method: 'POST', instead: { method: 'GET' } },
      'a GET signed as a POST': { instead: { method: 'POST' } },
      'a GET signed with a lowercase method': { instead: { method: 'get' } },
    },
  })),
  defineSignatureCheck('AU-TC3-COVERS/3', (_, counted) => {
    const good: SignedCalls = {};
    for (const path of PATHS) good[`a GET of ${path || 'the root'}`] = { path };
    good['a POST to /%E4%B8%AD%E6%96%87/a%2Fb'] = { ...POST, path: '/%E4%B8%AD%E6%96%87/a%2Fb' };
    const bad: SignedCalls = {};
    for (const [what, [signed, sent]] of Object.entries(REWRITTEN_PATHS)) {
      const call = { path: `${sent}?${counted}`, instead: { path: signed } };
      bad[`a GET of ${sent} ${what}`] = call;
      if (what === 'signed for another path')
        bad[`a POST to ${sent} signed ${what}`] = { ...POST, ...call };
    }
    return { good, bad };
  }),
  defineSignatureCheck('AU-TC3-COVERS/4', (_, counted) => {
    const good: SignedCalls = {};
    for (const query of QUERIES) good[`a GET with ?${query}`] = { path: `/query?${query}` };
    good['a POST with ?b=2&a=%E4%B8%AD'] = { ...POST, path: '/query?b=2&a=%E4%B8%AD' };
    const bad: SignedCalls = {
      'a GET with a query, signed without it': { instead: { query: '' } },
    };
    for (const [what, [signed, sent]] of Object.entries(REWRITTEN_QUERIES)) {
      const query = [signed, counted].filter((one) => one !== '').join('&');
      const call = { path: `/query?${sent}&${counted}`, instead: { query } };
      bad[`a GET with ?${sent} ${what}`] = call;
      if (what === 'signed for another value')
        bad[`a POST with ?${sent} signed ${what}`] = { ...POST, ...call };
    }
    return { good, bad };
  }),
  defineSignatureCheck('AU-TC3-COVERS/5', (t) => {
    const signed = (text: string) => ({ ...POST, instead: { body: Buffer.from(text) } });
    return {
      good: {
        'a POST of an object': POST,
        'a POST of Chinese': { ...POST, body: '{"msg":"你好"}' },
        'a POST of 64 KiB': { ...POST, body: toLong('1') },
        // A gateway may require a body; a call with a token shows whether this one does.
        ...(t.settings.gatewayToken && { 'a POST without a body': { method: 'POST' } }),
      },
      bad: {
        'a POST with one byte changed after signing': { ...signed('{"a":1}'), body: '{"a":2}' },
        'a POST with a space added after signing': { ...signed('{"a":1}'), body: '{"a": 1}' },
        'a POST with a body that was not signed': signed(''),
        'a POST without the body that was signed': { ...signed('{"a":1}'), body: '' },
        'a POST of 64 KiB whose last bytes were changed': {
          ...signed(toLong('1')),
          body: toLong('2'),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-SIGNED-HEADERS/1', (t) => {
    const host = ['Host', t.gateway.host] as const;
    return {
      good: {
        'a GET whose only signed header is host': { headers: [ONE], signed: [host] },
        'a GET with two signed headers, one of which is host': { headers: [ONE] },
        'a GET with only one of two extra headers signed': {
          headers: [ONE, TWO],
          signed: [host, TWO],
        },
        'a GET with 20 signed headers': { headers: [JSON_TYPE, ...MANY] },
        'a POST whose only signed header is host': { ...POST, signed: [host] },
        'a POST whose signed headers are content-type and host': POST,
        'a POST with every header signed': { ...POST, headers: [JSON_TYPE, ONE, TWO] },
      },
      bad: {
        'a GET whose signed header was changed': { headers: [OTHER_ONE], signed: [host, ONE] },
        'a GET without a header that was signed': { signed: [host, ONE] },
        'a GET that sends a signed header twice': {
          headers: [ONE, OTHER_ONE],
          signed: [host, ONE],
        },
        'a POST whose signed header was changed': {
          ...{ ...POST, headers: [JSON_TYPE, OTHER_ONE] },
          signed: [host, JSON_TYPE, ONE],
        },
        'a POST whose signed content type was changed': {
          ...{ ...POST, headers: [['Content-Type', 'application/json']] },
          signed: [host, JSON_TYPE],
        },
        'a POST whose content type got parameters after it was signed': {
          ...POST,
          signed: [host, ['Content-Type', 'application/json']],
        },
        'a GET signed for another host': { signed: [['Host', `x${t.gateway.host}`]] },
        'a GET that lists an unsigned header in SignedHeaders': {
          ...{ headers: [ONE], signed: [host] },
          change: changing('SignedHeaders', () => 'host;x-conformance-one'),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-SIGNED-HEADERS/2', (t) => {
    const decoy = ['X-Host', t.gateway.host] as const;
    return {
      bad: {
        'a GET whose only signed header is content-type': {
          headers: [JSON_TYPE],
          signed: [JSON_TYPE],
        },
        'a GET that signs x-host': { headers: [decoy], signed: [decoy] },
        'a POST whose only signed header is content-type': { ...POST, signed: [JSON_TYPE] },
      },
    };
  }),
  /** Only common variants are sent: a verifier that is more lenient does not break the contract. */
  defineSignatureCheck('AU-TC3-NORMAL-FORM/1', () => {
    const headers = (...list: HeaderList) => ({ headers: list });
    return {
      good: {
        'a GET with a signed header whose name is in upper case': headers(['X-CONFORMANCE', 'a']),
        'a GET with signed headers in arbitrary order': headers(
          ['x-c', '3'],
          ['X-B', '2'],
          ['x-a', '1'],
        ),
        'a GET with uppercase letters in a signed header value': headers([
          'X-Conformance',
          'Some VALUE',
        ]),
        'a GET with spaces around a signed header value': headers(['X-Conformance', '  value  ']),
        'a GET with spaces inside a signed header value': headers(['X-Conformance', 'a   b']),
        'a POST with uppercase letters in its content type': {
          ...POST,
          ...headers(['Content-Type', 'Application/JSON; Charset=UTF-8']),
        },
        'a POST with its content type in a CONTENT-TYPE header': {
          ...POST,
          ...headers(['CONTENT-TYPE', JSON_TYPE[1]]),
        },
      },
    };
  }),
  defineCheck('AU-TC3-NORMAL-FORM/2', ['fixture', 'signature'], async (t: CheckContext) => {
    await reachSignature(t);
    const body = toMultipart([['field', 'value']], BOUNDARY).toString();
    const spellings: NamedCalls = {};
    for (const [space, how] of [
      [' ', ''],
      ['', ' with no space before the boundary,'],
    ]) {
      const type = `multipart/form-data;${space}boundary=${BOUNDARY}`;
      const form: SignedCall = { path: '/form', body, headers: [['Content-Type', type]] };
      const kept = signCall(t, { ...form, instead: { boundary: 'kept' } });
      spellings[`a multipart POST${how} signed without the boundary`] = signCall(t, form);
      spellings[`a multipart POST${how} signed with the boundary`] = kept;
    }
    // A gateway may reject all forms (D13); then nothing can be learned about their signature.
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const plain: GatewayCall = { path: '/form', headers: { 'Content-Type': type }, body };
    let isTaken = false;
    for (const call of [plain, ...Object.values(spellings)]) {
      const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
      isTaken ||= t.fixture.readEcho(exchange) !== undefined;
      if (isTaken) break;
    }
    t.apply(isTaken, 'the gateway does not accept multipart/form-data');
    await expectForwarded(t, spellings);
  }),
  defineSignatureCheck('AU-TC3-FORM/2', () => ({
    good: {
      'a GET with a space after each comma in Authorization': { separator: ', ' },
      'a GET without spaces after the commas in Authorization': { separator: ',' },
      'a POST with a space after each comma in Authorization': { ...POST, separator: ', ' },
      'a POST without spaces after the commas in Authorization': { ...POST, separator: ',' },
    },
  })),
];
