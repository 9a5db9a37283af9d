import { type Check, type CheckContext, defineCheck, once } from '../context/check-context.ts';
import { toMultipart } from '../context/files.ts';
import { now, type Tc3Parts } from '../credentials/sign.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { HeaderList } from '../http/exchange.ts';
import { DisabledError, SkipError } from '../result.ts';
import { expectForwarded, expectGatewayRefusals, type NamedCalls } from './gateway-calls.ts';
import { assertClock, changeLetters, keysOf, type SignedCall, signCall } from './signed-calls.ts';

type SignedCalls = Record<string, SignedCall>;

const JSON_TYPE: HeaderList[number] = ['Content-Type', 'application/json; charset=utf-8'];

const POST = { headers: [JSON_TYPE], body: '{"a":1}' } as const satisfies SignedCall;

/** A call with these headers. Default: all of them are signed. */
const withHeaders = (headers: HeaderList, signed?: HeaderList): SignedCall => ({ headers, signed });

/** Skips a check if the gateway rejects even a valid signature, which AU-SIGNATURE covers. */
const assertSignature = once('valid-signature', async (t): Promise<void> => {
  await assertClock(t);
  const exchange = await t.gateway.call(signCall(t, { path: '/signed?a=1', ...POST }));
  if (t.fixture.readEcho(exchange)) return;
  const { status } = exchange.received;
  throw new SkipError(`the response to a POST with a valid signature was ${status}`);
});

/** Defines a check that `good` calls are accepted, and `bad` calls are rejected before they reach the service. */
function defineSignatureCheck(
  rule: SentenceId,
  toCases: (t: CheckContext) => { good?: SignedCalls; bad?: SignedCalls },
): Check {
  return defineCheck(rule, ['fixture', 'signature'], async (t) => {
    await assertSignature(t);
    const { good = {}, bad } = toCases(t);
    const signed = Object.entries(good).map(([what, call]) => [what, signCall(t, call)]);
    await expectForwarded(t, Object.fromEntries(signed));
    if (bad) await expectGatewayRefusals(t, bad, (call) => t.gateway.call(signCall(t, call)));
  });
}

const PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'] as const;

const changing = (part: (typeof PARTS)[number], to: (value: string) => string): SignedCall => ({
  change: (parts: Tc3Parts) => ({ ...parts, [part]: to(parts[part]) }),
});

const lacking = (part: (typeof PARTS)[number]): SignedCall => ({
  change: ({ [part]: _, ...rest }: Tc3Parts): Partial<Tc3Parts> => rest,
});

const later = (seconds: string) =>
  changing('Timestamp', (value) => String(Number(value) + Number(seconds)));

/** Creates a call for each of several values, keyed by the value. */
const each = <Value extends string>(
  what: string,
  values: readonly Value[],
  toCall: (value: Value) => SignedCall,
): SignedCalls => Object.fromEntries(values.map((value) => [what + value, toCall(value)]));

/** Creates a call for each pair of what is sent and what is signed instead. */
const eachPair = (
  what: string,
  pairs: Record<string, string>,
  toCall: (sent: string, signed: string) => SignedCall,
): SignedCalls =>
  Object.fromEntries(
    Object.entries(pairs).map(([sent, signed]) => [
      `${what}${sent} signed for ${signed}`,
      toCall(sent, signed),
    ]),
  );

/** Paths as they may be sent; each is signed exactly as sent. */
const PATHS = ['', '/a//b%2Fc%2fd/%E4%B8%AD/%e4%b8%ad/', "/a+b~c!d'e(f)*g:h@i;j=k,l$m&n%20o"];

/** Paths as sent, with others for which they are signed. */
const REWRITTEN_PATHS = {
  '/a/c': '/a/b',
  '/a//b': '/a/b',
  '/a/%41': '/a/A',
  '/a%2Fb': '/a/b',
  '/a%2Fc': '/a%2fc',
};

/** Query strings as they may be sent; each is signed exactly as sent. */
const QUERIES = [
  'b=2&a=1&a=0&&b==2&c',
  'a=%20+b&c=%E4%B8%AD&%e4%b8%ad=1',
  "a=/b?c~!'()*,;:@$&a%5B%5D=1",
];

const REWRITTEN_QUERIES = {
  'a=2': 'a=1',
  'a=1&b=2': 'a=1',
  'b=2&a=1': 'a=1&b=2',
  'a=%2F': 'a=%2f',
};

/** A gateway may forward its beginning before it has seen the end. */
const toLong = (end: string) => JSON.stringify({ a: 'a'.repeat(65_536), end });

const toHeader = (name: string, value: string) => [name, value] as const;
const ONE = toHeader('X-Conformance-One', 'one');
const OTHER_ONE = toHeader('X-Conformance-One', 'two');
const TWO = toHeader('X-Conformance-Two', 'two words, and a comma');
const MANY = Array.from({ length: 20 }, (_, at) => toHeader(`X-Conformance-${at}`, `value ${at}`));

const BOUNDARY = 'Conformance-Boundary';

export const authSignature: readonly Check[] = [
  defineSignatureCheck('AU-TC3-FORM/1', () => ({
    good: { 'a GET': {}, 'a POST': POST },
    bad: {
      'a GET with nothing after TC3-HMAC-SHA256': { change: () => ({}) },
      'a GET with a Credential without tc3_request': changing('Credential', (value) =>
        value.replace('/tc3_request', ''),
      ),
      ...each('a GET without ', PARTS, lacking),
      ...each('a GET with an empty ', PARTS, (part) => changing(part, () => '')),
      'a POST without Timestamp': { ...POST, ...lacking('Timestamp') },
    },
  })),
  defineSignatureCheck('AU-TC3-KEY', (t) => {
    const { secretId, secretKey, service } = keysOf(t);
    const unknown = { secretId: `${secretId}x`, secretKey: '' };
    /** The header names another scope than the one that was signed. */
    const naming = (from: RegExp, to: string) =>
      changing('Credential', (value) => value.replace(from, to));
    const scope = /[^/]*\/tc3_request$/;
    const named = naming(scope, `${service}/tc3_request`);
    const dayBefore = new Date((now() - 86_400) * 1000).toISOString().slice(0, 10);
    const changingEnd = changing('Signature', (value) => changeLetters(value, 32));
    return {
      bad: {
        'a GET signed with another secret': { keys: { secretKey: `${secretKey}x` } },
        'a POST signed with an empty secret': { ...POST, keys: { secretKey: '' } },
        'a GET with an unknown secret ID': { keys: { secretId: `${secretId}x` } },
        'a GET with an unknown secret ID and an empty secret': { keys: unknown },
        'a GET signed for another service': { keys: { service: `${service}x` }, ...named },
        'a GET that names another service': naming(scope, `${service}x/tc3_request`),
        'a GET that names the previous day': naming(/\d{4}-\d\d-\d\d/, dayBefore),
        'a GET with a signature that is correct only at the beginning': changingEnd,
        'a GET with a truncated signature': changing('Signature', (value) => value.slice(0, 32)),
      },
    };
  }),
  defineSignatureCheck('AU-TC3-COVERS/1', () => ({
    bad: {
      ...each('a GET whose Timestamp was changed after signing by ', ['1', '30'], later),
      'a POST whose Timestamp was decreased by one second': { ...POST, ...later('-1') },
    },
  })),
  defineSignatureCheck('AU-TC3-COVERS/2', () => ({
    bad: {
      'a POST signed as a GET': { ...POST, instead: { method: 'GET' } },
      'a GET signed as a POST': { instead: { method: 'POST' } },
      'a GET signed with a lowercase method': { instead: { method: 'get' } },
    },
  })),
  defineSignatureCheck('AU-TC3-COVERS/3', () => ({
    good: each('a GET of ', PATHS, (path) => ({ path })),
    bad: {
      ...eachPair('a GET of ', REWRITTEN_PATHS, (path, signed) => ({
        path,
        instead: { path: signed },
      })),
      'a POST signed for another path': { ...POST, path: '/a/c', instead: { path: '/a/b' } },
    },
  })),
  defineSignatureCheck('AU-TC3-COVERS/4', () => ({
    good: each('a GET with ?', QUERIES, (query) => ({ path: `/query?${query}` })),
    bad: {
      ...eachPair('a GET with ?', REWRITTEN_QUERIES, (sent, signed) => ({
        path: `/query?${sent}`,
        signedQuery: (query) => query.replace(sent, signed),
      })),
      'a POST with a query, signed without it': { ...POST, signedQuery: () => '' },
    },
  })),
  defineSignatureCheck('AU-TC3-COVERS/5', () => {
    const signed = (body: string) => ({ ...POST, instead: { body } });
    return {
      good: { 'a POST of Chinese': { ...POST, body: '{"msg":"你好"}' } },
      bad: {
        'a POST with one byte changed after signing': { ...signed('{"a":1}'), body: '{"a":2}' },
        'a POST with a body that was not signed': signed(''),
        'a chunked POST with a body that was not signed': { ...signed(''), isChunked: true },
        'a POST without the body that was signed': { ...signed('{"a":1}'), body: '' },
        'a POST of 64 KiB changed at its end': { ...signed(toLong('1')), body: toLong('2') },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-SIGNED-HEADERS/1', (t) => {
    const host = toHeader('Host', t.gateway.host);
    const plainType = toHeader('Content-Type', 'application/json');
    const post = (headers: HeaderList, signed?: HeaderList): SignedCall => ({
      ...POST,
      ...withHeaders(headers, signed),
    });
    return {
      good: {
        'a GET whose only signed header is host': withHeaders([ONE], [host]),
        'a GET with one of two extra headers signed': withHeaders([ONE, TWO], [host, TWO]),
        'a GET with 20 signed headers': withHeaders([JSON_TYPE, ...MANY]),
        'a POST whose only signed header is host': post([JSON_TYPE], [host]),
        'a POST with every header signed': post([JSON_TYPE, ONE, TWO]),
      },
      bad: {
        'a GET whose signed header was changed': withHeaders([OTHER_ONE], [host, ONE]),
        'a GET without a header that was signed': withHeaders([], [host, ONE]),
        'a GET that sends a signed header twice': withHeaders([ONE, OTHER_ONE], [host, ONE]),
        'a POST whose signed type got parameters': post([JSON_TYPE], [host, plainType]),
        'a GET signed for another host': withHeaders([], [['Host', `x${t.gateway.host}`]]),
        'a GET that lists an unsigned header in SignedHeaders': {
          ...withHeaders([ONE], [host]),
          ...changing('SignedHeaders', () => 'host;x-conformance-one'),
        },
      },
    };
  }),
  defineSignatureCheck('AU-TC3-SIGNED-HEADERS/2', (t) => {
    const decoy = toHeader('X-Host', t.gateway.host);
    return {
      bad: {
        'a GET that signs x-host': withHeaders([decoy], [decoy]),
        'a POST whose only signed header is content-type': {
          ...POST,
          ...withHeaders([JSON_TYPE], [JSON_TYPE]),
        },
      },
    };
  }),
  /** Only common variants are sent: a verifier that is more lenient does not break the contract. */
  defineSignatureCheck('AU-TC3-NORMAL-FORM/1', () => {
    const upperCaseType = toHeader('CONTENT-TYPE', 'Application/JSON; Charset=UTF-8');
    const unordered = [toHeader('x-c', '3'), toHeader('X-B', '2'), toHeader('X-CONFORMANCE', '1')];
    return {
      good: {
        'a GET with signed headers in arbitrary order and case': withHeaders(unordered),
        'a GET with uppercase letters in a signed value': withHeaders([['X-A', 'Some VALUE']]),
        'a GET with spaces around and inside a signed value': withHeaders([['X-A', '  a   b  ']]),
        'a POST with uppercase letters in its type': { ...POST, headers: [upperCaseType] },
      },
    };
  }),
  defineCheck('AU-TC3-NORMAL-FORM/2', ['fixture', 'signature'], async (t) => {
    await assertSignature(t);
    const toForm = (separator: string) => ({
      path: '/form',
      body: toMultipart([['field', 'value']], BOUNDARY).toString(),
      headers: [toHeader('Content-Type', `multipart/form-data${separator}boundary=${BOUNDARY}`)],
    });
    const signed: NamedCalls = {};
    for (const separator of ['; ', ';']) {
      for (const boundary of ['cut', 'kept'] as const) {
        const what = `a POST of the type multipart/form-data${separator}boundary=…`;
        const call = signCall(t, { ...toForm(separator), instead: { boundary } });
        signed[`${what}, signed with the boundary ${boundary}`] = call;
      }
    }
    // A gateway may reject all forms (D13); then nothing can be learned about their signature.
    const exchanges = [await t.gateway.call(toForm('; '))];
    for (const call of Object.values(signed)) exchanges.push(await t.gateway.call(call));
    if (!exchanges.some(t.fixture.readEcho)) {
      throw new DisabledError('the gateway does not accept multipart/form-data');
    }
    await expectForwarded(t, signed);
  }),
  defineSignatureCheck('AU-TC3-FORM/2', () => ({
    good: {
      'a GET with a space after each comma in Authorization': { separator: ', ' },
      'a POST without spaces after the commas in Authorization': { ...POST, separator: ',' },
    },
  })),
];
