import {
  type CallContext,
  type Check,
  type CheckContext,
  defineCheck,
  once,
} from '../context/check-context.ts';
import { toMultipart } from '../context/files.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type HeaderList, withHeaders } from '../http/exchange.ts';
import {
  now,
  signTc3,
  type Tc3Input,
  type Tc3Keys,
  type Tc3Parts,
  toTc3Header,
} from '../http/sign.ts';
import { DisabledError, SkipError } from '../not-run.ts';
import { expectForwarded, expectGatewayRejections, showResponse } from './gateway-calls.ts';
import { assertClock, changeChars } from './wrong-credentials.ts';

/** A call, and how its signature deviates from the usual one. */
interface SignedCall {
  path?: string;
  headers?: HeaderList;
  body?: string;
  /** Send the body in a chunk, without its length. */
  isChunked?: boolean;
  /** Headers to sign, next to `Host`. Default: all that are sent. */
  signed?: HeaderList | undefined;
  isHostUnsigned?: boolean;
  /** What to sign instead of what is sent. */
  instead?: Partial<Pick<Tc3Input, 'method' | 'boundary'>> & { body?: string };
  /** Changes the path and query that are signed. */
  signedPath?: (path: string) => string;
  /** What to sign with, from the run's key pair. */
  keys?: (keys: Tc3Keys) => Partial<Tc3Keys>;
  change?: (parts: Tc3Parts) => Partial<Tc3Parts>;
  /** Separator between the parts. Default: a comma and a space. */
  separator?: string;
}

/** Creates a call whose signature is built part by part, so that a check can falsify a single part. */
function signCall({ settings, gateway }: CallContext, call: SignedCall): GatewayCall {
  const { path = '/signed', headers = [], body, signed = headers, instead } = call;
  const { tc3 } = settings;
  if (tc3 === undefined) throw new Error('The check must list `signature` in its needs.');
  const method = body === undefined ? 'GET' : 'POST';
  const [route = '', query = ''] = (call.signedPath?.(path) ?? path).split(/\?(.*)/s);
  const input = {
    method,
    timestamp: now(),
    ...instead,
    path: gateway.servicePath + route,
    query,
    headers: call.isHostUnsigned ? signed : withHeaders([['Host', gateway.host]], signed),
    body: Buffer.from(instead?.body ?? body ?? ''),
  };
  const parts = signTc3(input, { ...tc3, ...call.keys?.(tc3) });
  const Authorization = toTc3Header(call.change?.(parts) ?? parts, call.separator);
  const unsent = { method, path, headers, credentials: { Authorization } };
  if (body === undefined) return unsent;
  return { ...unsent, ...(call.isChunked ? { chunks: [Buffer.from(body)] } : { body }) };
}

const JSON_TYPE: HeaderList[number] = ['Content-Type', 'application/json; charset=utf-8'];

const POSTED = { headers: [JSON_TYPE], body: '{"a":1}' } as const satisfies SignedCall;

/** Skips a check if the gateway rejects even a valid signature, which AU-SIGNATURE covers. */
const assertSignature = once('valid-signature', async (t): Promise<void> => {
  await assertClock(t);
  const exchange = await t.gateway.call(signCall(t, { path: '/signed?a=1', ...POSTED }));
  if (t.fixture.readEcho(exchange)) return;
  throw new SkipError(
    `the response to a POST with a valid signature was ${showResponse(exchange)}`,
  );
});

const BOUNDARY = 'Conformance-Boundary';
const FORM = toMultipart([['field', 'value']], BOUNDARY).toString();

/** A gateway may reject all forms (D13); then nothing can be learned about their signature. */
async function assertForms(t: CheckContext): Promise<void> {
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  if (t.fixture.readEcho(await t.gateway.call({ headers, body: FORM }))) return;
  throw new DisabledError('the gateway does not accept multipart/form-data');
}

type SignedCalls = Record<string, SignedCall>;

interface SignedCases {
  good?: SignedCalls;
  bad?: SignedCalls;
  prepare?: (t: CheckContext) => Promise<void>;
}

const PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'] as const;

const changing = (part: (typeof PARTS)[number], to: (value: string) => string): SignedCall => ({
  change: (parts) => ({ ...parts, [part]: to(parts[part]) }),
});

const lacking = (part: (typeof PARTS)[number]): SignedCall => ({
  change: ({ [part]: _, ...rest }) => rest,
});

const toDate = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

const later = (seconds: number) => changing('Timestamp', (time) => String(Number(time) + seconds));

/** Creates a call for each of several values, named after the value. */
const each = <Value extends string>(
  what: string,
  values: readonly Value[],
  toCall: (value: Value) => SignedCall,
): SignedCalls => Object.fromEntries(values.map((value) => [what + value, toCall(value)]));

/** Creates a GET for each pair of what is sent and what is signed instead. */
const signedFor = (pairs: Record<string, string>): SignedCalls =>
  Object.fromEntries(
    Object.entries(pairs).map(([path, other]) => [
      `a GET of ${path} signed for ${other}`,
      { path, signedPath: (marked) => marked.replace(path, other) } satisfies SignedCall,
    ]),
  );

/** A gateway may forward its beginning before it has seen the end. */
const toLong = (end: string) => JSON.stringify({ a: 'a'.repeat(65_536), end });

/** A POST that is signed with another body. */
const postFor = (signed: string, body: string) => ({ ...POSTED, body, instead: { body: signed } });

/** A call with these headers, of which some are signed, by default all. */
const get = (headers: HeaderList, signed?: HeaderList): SignedCall => ({ headers, signed });
const post = (headers: HeaderList, signed?: HeaderList) => ({ ...POSTED, ...get(headers, signed) });

const toHeader = (name: string, value: string) => [name, value] as const;
const ONE = toHeader('X-Conformance-One', 'one');
const OTHER_ONE = toHeader('X-Conformance-One', 'two');
const TWO = toHeader('X-Conformance-Two', 'two words, and a comma');
const MANY = Array.from({ length: 20 }, (_, at) => toHeader(`X-Conformance-${at}`, `value ${at}`));
const DECOY = toHeader('X-Host', 'a.gateway.example');

/** Defines a check that calls are accepted, and that others are rejected before they reach the service. */
const defineSigned = (id: SentenceId, { prepare, good = {}, bad = {} }: SignedCases): Check =>
  defineCheck(id, ['fixture', 'signature'], async (t) => {
    await assertSignature(t);
    await prepare?.(t);
    const sign = (call: SignedCall) => t.gateway.call(signCall(t, call));
    await expectForwarded(t, good, sign);
    await expectGatewayRejections(t, bad, sign);
  });

export const authSignature: readonly Check[] = [
  defineSigned('AU-TC3-FORM', {
    good: {
      'a GET with a space after each comma in Authorization': { separator: ', ' },
      'a POST without spaces after the commas in Authorization': { ...POSTED, separator: ',' },
    },
    bad: {
      'a GET with nothing after TC3-HMAC-SHA256': { change: () => ({}) },
      'a GET with a Credential without tc3_request': changing('Credential', (value) =>
        value.replace('/tc3_request', ''),
      ),
      ...each('a GET without ', PARTS, lacking),
      ...each('a GET with an empty ', PARTS, (part) => changing(part, () => '')),
      'a POST without Timestamp': { ...POSTED, ...lacking('Timestamp') },
    },
  }),
  defineSigned('AU-TC3-KEY', {
    bad: {
      'a GET signed with another secret': {
        keys: ({ secretKey }) => ({ secretKey: `${secretKey}x` }),
      },
      'a POST signed with an empty secret': { ...POSTED, keys: () => ({ secretKey: '' }) },
      'a GET with an unknown secret ID': { keys: ({ secretId }) => ({ secretId: `${secretId}x` }) },
      'a GET with an unknown secret ID and an empty secret': {
        keys: ({ secretId }) => ({ secretId: `${secretId}x`, secretKey: '' }),
      },
      // The header names another scope than the one that was signed.
      'a GET signed for another service': {
        keys: ({ service }) => ({ service: `${service}x` }),
        ...changing('Credential', (value) => value.replace('x/tc3_request', '/tc3_request')),
      },
      'a GET that names another service': changing('Credential', (value) =>
        value.replace('/tc3_request', 'x/tc3_request'),
      ),
      'a GET that names the previous day': changing('Credential', (value) =>
        value.replace(/\d{4}-\d\d-\d\d/, toDate(now() - 86_400)),
      ),
      'a GET with a signature that is correct only at the beginning': changing(
        'Signature',
        (value) => changeChars(value, 32),
      ),
      'a GET with a truncated signature': changing('Signature', (value) => value.slice(0, 32)),
    },
  }),
  defineSigned('AU-TC3-COVERS/1', {
    bad: {
      'a GET whose Timestamp was increased by one second': later(1),
      'a GET whose Timestamp was increased by 30 seconds': later(30),
      'a POST whose Timestamp was decreased by one second': { ...POSTED, ...later(-1) },
    },
  }),
  defineSigned('AU-TC3-COVERS/2', {
    bad: {
      'a POST signed as a GET': { ...POSTED, instead: { method: 'GET' } },
      'a GET signed as a POST': { instead: { method: 'POST' } },
      'a GET signed with a lowercase method': { instead: { method: 'get' } },
    },
  }),
  defineSigned('AU-TC3-COVERS/3', {
    good: each(
      'a GET of ',
      ['', '/a//b%2Fc%2fd/%E4%B8%AD/%e4%b8%ad/', "/a+b~c!d'e(f)*g:h@i;j=k,l$m&n%20o"],
      (path) => ({ path }),
    ),
    bad: {
      ...signedFor({
        '/a/c': '/a/b',
        '/a//b': '/a/b',
        '/a/%41': '/a/A',
        '/a%2Fb': '/a/b',
        '/a%2Fc': '/a%2fc',
      }),
      'a POST signed for a path below': { ...POSTED, signedPath: (path) => `/a${path}` },
    },
  }),
  defineSigned('AU-TC3-COVERS/4', {
    good: each(
      'a GET of /query?',
      ['b=2&a=1&a=0&&b==2&c', 'a=%20+b&c=%E4%B8%AD&%e4%b8%ad=1', "a=/b?c~!'()*,;:@$&a%5B%5D=1"],
      (query) => ({ path: `/query?${query}` }),
    ),
    bad: {
      ...signedFor({
        '/query?a=2': '/query?a=1',
        '/query?a=1&b=2': '/query?a=1',
        '/query?b=2&a=1': '/query?a=1&b=2',
        '/query?a=%2F': '/query?a=%2f',
      }),
      'a POST with a query, signed without it': {
        ...POSTED,
        signedPath: (path) => path.replace(/\?.*/, ''),
      },
    },
  }),
  defineSigned('AU-TC3-COVERS/5', {
    good: { 'a POST of Chinese': { ...POSTED, body: '{"msg":"你好"}' } },
    bad: {
      'a POST with one byte changed after signing': postFor('{"a":1}', '{"a":2}'),
      'a POST with a body that was not signed': postFor('', POSTED.body),
      'a chunked POST with a body that was not signed': {
        ...postFor('', POSTED.body),
        isChunked: true,
      },
      'a POST without the body that was signed': postFor('{"a":1}', ''),
      'a POST of 64 KiB changed at its end': postFor(toLong('1'), toLong('2')),
    },
  }),
  defineSigned('AU-TC3-SIGNED-HEADERS/1', {
    good: {
      'a GET whose only signed header is host': get([ONE], []),
      'a GET with one of two extra headers signed': get([ONE, TWO], [TWO]),
      'a GET with 20 signed headers': get([JSON_TYPE, ...MANY]),
      'a POST whose only signed header is host': post([JSON_TYPE], []),
      'a POST with every header signed': post([JSON_TYPE, ONE, TWO]),
    },
    bad: {
      'a GET whose signed header was changed': get([OTHER_ONE], [ONE]),
      'a GET without a header that was signed': get([], [ONE]),
      'a GET that sends a signed header twice': get([ONE, OTHER_ONE], [ONE]),
      'a POST whose signed type got parameters': post(
        [JSON_TYPE],
        [['Content-Type', 'application/json']],
      ),
      'a GET signed for another host': get([], [['Host', 'x.gateway.example']]),
      'a GET that lists an unsigned header in SignedHeaders': {
        ...get([ONE], []),
        ...changing('SignedHeaders', () => 'host;x-conformance-one'),
      },
    },
  }),
  defineSigned('AU-TC3-SIGNED-HEADERS/2', {
    bad: {
      'a GET that signs x-host': { headers: [DECOY], isHostUnsigned: true },
      'a POST whose only signed header is content-type': { ...POSTED, isHostUnsigned: true },
    },
  }),
  // Only common variants: a verifier that is more lenient does not break the contract.
  defineSigned('AU-TC3-NORMAL-FORM/1', {
    good: {
      'a GET with signed headers in arbitrary order and case': get([
        ['x-c', '3'],
        ['X-B', '2'],
        ['X-CONFORMANCE', '1'],
      ]),
      'a GET with uppercase letters in a signed value': get([['X-A', 'Some VALUE']]),
      'a GET with spaces around and inside a signed value': get([['X-A', '  a   b  ']]),
      'a POST with uppercase letters in its type': post([
        ['CONTENT-TYPE', 'Application/JSON; Charset=UTF-8'],
      ]),
    },
  }),
  defineSigned('AU-TC3-NORMAL-FORM/2', {
    prepare: assertForms,
    good: Object.fromEntries(
      ['; ', ';'].flatMap((separator) => {
        const type = `multipart/form-data${separator}boundary=${BOUNDARY}`;
        const form: SignedCall = { headers: [['Content-Type', type]], body: FORM };
        return (['cut', 'kept'] as const).map((boundary) => [
          `a POST of the type ${type}, signed with the boundary ${boundary}`,
          { ...form, instead: { boundary } },
        ]);
      }),
    ),
  }),
];
