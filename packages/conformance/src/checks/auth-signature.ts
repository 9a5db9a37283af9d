import { DisabledError, SkipError } from '../errors.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type HeaderList, toHeaderList } from '../http/exchange.ts';
import { readEcho } from '../http/fixture-protocol.ts';
import {
  now,
  signTc3,
  type Tc3Input,
  type Tc3Keys,
  type Tc3Parts,
  toTc3Header,
} from '../http/sign.ts';
import { type CallContext, oncePerRun } from '../run/call-context.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import type { GatewayCall } from '../run/clients.ts';
import { toMultipart } from '../run/files.ts';
import {
  assertClock,
  changeChars,
  expectForwarded,
  expectGatewayRejections,
  showResponse,
} from './calls.ts';

/** A call, and how its signature deviates from that of the call as it is sent. */
interface SignedCall {
  path?: string;
  headers?: HeaderList;
  body?: string;
  /** Send the body in a chunk, without its length. */
  isChunked?: boolean;
  /** Returns what to sign instead of what is sent. */
  sign?: (sent: Tc3Input) => Partial<Tc3Input>;
  /** Returns what to sign with, from the run's key pair. */
  keys?: (keys: Tc3Keys) => Partial<Tc3Keys>;
  /** Returns the parts of the header, from those of a correct one. */
  change?: (parts: Tc3Parts) => Partial<Tc3Parts>;
  /** Separator between the parts. Default: a comma and a space. */
  separator?: string;
}

/** Creates a call whose signature is built part by part, so that a check can falsify a single part. */
function signCall({ run, gateway }: CallContext, call: SignedCall): GatewayCall {
  const { path = '/signed', headers = [], body, isChunked } = call;
  const { tc3 } = run.settings;
  if (tc3 === undefined) throw new Error('The check must list `signature` in its needs.');
  const method = body === undefined ? 'GET' : 'POST';
  const [route = '', query = ''] = path.split(/\?(.*)/s);
  const sent = {
    method,
    timestamp: now(),
    path: gateway.servicePath + route,
    query,
    headers: [['Host', gateway.host] as const, ...headers],
    body: Buffer.from(body ?? ''),
  };
  const parts = signTc3({ ...sent, ...call.sign?.(sent) }, { ...tc3, ...call.keys?.(tc3) });
  const Authorization = toTc3Header(call.change?.(parts) ?? parts, call.separator);
  const content = isChunked ? { chunks: [sent.body] } : { body: sent.body };
  return { method, path, headers, credentials: { Authorization }, ...content };
}

const JSON_TYPE: HeaderList[number] = ['Content-Type', 'application/json; charset=utf-8'];

const POSTED = { headers: [JSON_TYPE], body: '{"a":1}' } as const satisfies SignedCall;

/** Skips a check if the gateway rejects even a valid signature, which AU-SIGNATURE covers. */
const assertSignature = oncePerRun(async (t): Promise<void> => {
  await assertClock(t);
  const exchange = await t.gateway.call(signCall(t, { path: '/signed?a=1', ...POSTED }));
  if (readEcho(exchange)) return;
  const actual = showResponse(exchange);
  throw new SkipError(`the response to a POST with a valid signature was ${actual}`);
});

const BOUNDARY = 'Conformance-Boundary';
const FORM = toMultipart({ field: 'value' }, BOUNDARY).toString();

/** A gateway may reject all forms (D13); then nothing can be learned about their signature. */
async function assertForms(t: CheckContext): Promise<void> {
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  if (readEcho(await t.gateway.call({ headers, body: FORM }))) return;
  throw new DisabledError('the gateway does not accept multipart/form-data');
}

type SignedCalls = Record<string, SignedCall>;

interface SignedCases {
  accepted?: SignedCalls;
  rejected?: SignedCalls;
  prepare?: (t: CheckContext) => Promise<void>;
}

const PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'] as const;

const changing = (part: (typeof PARTS)[number], to: (value: string) => string): SignedCall => ({
  change: (parts) => ({ ...parts, [part]: to(parts[part]) }),
});

const withCredential = (found: string | RegExp, other: string): SignedCall =>
  changing('Credential', (value) => value.replace(found, other));

const without = (part: (typeof PARTS)[number]): SignedCall => ({
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

/** Creates a GET for each pair of what is sent and what is signed instead, in the path and query. */
const signedFor = (pairs: Record<string, string>): SignedCalls =>
  Object.fromEntries(
    Object.entries(pairs).map(([sent, signed]) => {
      const sign = (input: Tc3Input) => {
        const target = `${input.path}?${input.query}`.replace(sent, signed);
        const [path = '', query = ''] = target.split(/\?(.*)/s);
        return { path, query };
      };
      return [`a GET of ${sent} signed for ${signed}`, { path: sent, sign }];
    }),
  );

/** A gateway may forward its beginning before it has seen the end. */
const toLong = (end: string) => JSON.stringify({ a: 'a'.repeat(65_536), end });

/** A POST that is signed with another body. */
const postFor = (signed: string, body: string) => ({
  ...POSTED,
  body,
  sign: () => ({ body: Buffer.from(signed) }),
});

/** Signs `Host` and these headers, whatever is sent. */
const signs =
  (...signed: HeaderList) =>
  ({ headers }: Tc3Input) => ({ headers: [...headers.slice(0, 1), ...signed] });
const withoutHost = ({ headers }: Tc3Input) => ({ headers: headers.slice(1) });

const EXTRA = ['X-Conformance-One', 'one'] as const;
const VARIANT = ['X-Conformance-One', 'two'] as const;
const TEXT = ['X-Conformance-Two', 'two words, and a comma'] as const;
const MANY = Array.from({ length: 20 }, (_, at) => [`X-Conformance-${at}`, `value ${at}`] as const);
const PLAIN_TYPE = ['Content-Type', 'application/json'] as const;
const DECOY = ['X-Host', 'a.gateway.example'] as const;

/** Defines a check that expects calls to be accepted, and others to be rejected before they reach the service. */
const defineSigned = (id: SentenceId, { prepare, accepted = {}, rejected = {} }: SignedCases) =>
  defineCheck(id, ['fixture', 'signature'], async (t) => {
    await assertSignature(t);
    await prepare?.(t);
    const sign = (call: SignedCall) => t.gateway.call(signCall(t, call));
    await expectForwarded(t, accepted, sign);
    await expectGatewayRejections(t, rejected, sign);
  });

export const authSignature: readonly Check[] = [
  defineSigned('AU-TC3-FORM', {
    accepted: {
      'a GET with a space after each comma in Authorization': { separator: ', ' },
      'a POST without spaces after the commas in Authorization': { ...POSTED, separator: ',' },
    },
    rejected: {
      'a GET with nothing after TC3-HMAC-SHA256': { change: () => ({}) },
      'a GET with a Credential without tc3_request': withCredential('/tc3_request', ''),
      ...each('a GET without ', PARTS, without),
      ...each('a GET with an empty ', PARTS, (part) => changing(part, () => '')),
      'a POST without Timestamp': { ...POSTED, ...without('Timestamp') },
    },
  }),
  defineSigned('AU-TC3-KEY', {
    rejected: {
      'a GET with another secret': { keys: ({ secretKey }) => ({ secretKey: `${secretKey}x` }) },
      'a POST signed with an empty secret': { ...POSTED, keys: () => ({ secretKey: '' }) },
      'a GET with an unknown secret ID': { keys: ({ secretId }) => ({ secretId: `${secretId}x` }) },
      'a GET with an unknown secret ID and an empty secret': {
        keys: ({ secretId }) => ({ secretId: `${secretId}x`, secretKey: '' }),
      },
      // The header names another scope than the one that was signed.
      'a GET signed for another service': {
        keys: ({ service }) => ({ service: `${service}x` }),
        ...withCredential('x/tc3_request', '/tc3_request'),
      },
      'a GET that names another service': withCredential('/tc3_request', 'x/tc3_request'),
      'a GET that names the previous day': changing('Credential', (value) =>
        value.replace(/\d{4}-\d\d-\d\d/, toDate(now() - 86_400)),
      ),
      'a GET with half a correct signature': changing('Signature', (all) => changeChars(all, 32)),
      'a GET with a truncated signature': changing('Signature', (value) => value.slice(0, 32)),
    },
  }),
  defineSigned('AU-TC3-COVERS/1', {
    rejected: {
      'a GET whose Timestamp was increased by one second': later(1),
      'a GET whose Timestamp was increased by 30 seconds': later(30),
      'a POST whose Timestamp was decreased by one second': { ...POSTED, ...later(-1) },
    },
  }),
  defineSigned('AU-TC3-COVERS/2', {
    rejected: {
      'a POST signed as a GET': { ...POSTED, sign: () => ({ method: 'GET' }) },
      'a GET signed as a POST': { sign: () => ({ method: 'POST' }) },
      'a GET signed with a lowercase method': { sign: () => ({ method: 'get' }) },
    },
  }),
  defineSigned('AU-TC3-COVERS/3', {
    accepted: each(
      'a GET of ',
      ['', '/a//b%2Fc%2fd/%E4%B8%AD/%e4%b8%ad/', "/a+b~c!d'e(f)*g:h@i;j=k,l$m&n%20o"],
      (path) => ({ path }),
    ),
    rejected: {
      ...signedFor({
        '/a/c': '/a/b',
        '/a//b': '/a/b',
        '/a/%41': '/a/A',
        '/a%2Fb': '/a/b',
        '/a%2Fc': '/a%2fc',
      }),
      'a POST signed for a path below': { ...POSTED, sign: ({ path }) => ({ path: `${path}/x` }) },
    },
  }),
  defineSigned('AU-TC3-COVERS/4', {
    accepted: each(
      'a GET of /query?',
      ['b=2&a=1&a=0&&b==2&c', 'a=%20+b&c=%E4%B8%AD&%e4%b8%ad=1', "a=/b?c~!'()*,;:@$&a%5B%5D=1"],
      (query) => ({ path: `/query?${query}` }),
    ),
    rejected: {
      ...signedFor({
        '/query?a=2': '/query?a=1',
        '/query?a=1&b=2': '/query?a=1',
        '/query?b=2&a=1': '/query?a=1&b=2',
        '/query?a=%2F': '/query?a=%2f',
      }),
      'a POST with a query, signed without it': { ...POSTED, sign: () => ({ query: '' }) },
    },
  }),
  defineSigned('AU-TC3-COVERS/5', {
    accepted: { 'a POST of Chinese': { ...POSTED, body: '{"msg":"你好"}' } },
    rejected: {
      'a POST with one byte changed after signing': postFor('{"a":1}', '{"a":2}'),
      'a POST with an unsigned body': postFor('', POSTED.body),
      'a chunked POST with an unsigned body': { ...postFor('', POSTED.body), isChunked: true },
      'a POST without the body that was signed': postFor('{"a":1}', ''),
      'a POST of 64 KiB changed at its end': postFor(toLong('1'), toLong('2')),
    },
  }),
  defineSigned('AU-TC3-SIGNED-HEADERS/1', {
    accepted: {
      'a GET whose only signed header is host': { headers: [EXTRA], sign: signs() },
      'a GET with one of two extra headers signed': { headers: [EXTRA, TEXT], sign: signs(TEXT) },
      'a GET with 20 signed headers': { headers: [JSON_TYPE, ...MANY] },
      'a POST whose only signed header is host': { ...POSTED, sign: signs() },
      'a POST with every header signed': { ...POSTED, headers: [JSON_TYPE, EXTRA, TEXT] },
    },
    rejected: {
      'a GET whose signed header was changed': { headers: [VARIANT], sign: signs(EXTRA) },
      'a GET without a header that was signed': { sign: signs(EXTRA) },
      'a GET that sends a signed header twice': { headers: [EXTRA, VARIANT], sign: signs(EXTRA) },
      'a POST whose signed type got parameters': { ...POSTED, sign: signs(PLAIN_TYPE) },
      'a GET signed for another host': { sign: () => ({ headers: [['Host', 'x.example']] }) },
      'a GET that lists an unsigned header in SignedHeaders': {
        headers: [EXTRA],
        sign: signs(),
        ...changing('SignedHeaders', () => 'host;x-conformance-one'),
      },
    },
  }),
  defineSigned('AU-TC3-SIGNED-HEADERS/2', {
    rejected: {
      'a GET that signs x-host': { headers: [DECOY], sign: withoutHost },
      'a POST whose only signed header is content-type': { ...POSTED, sign: withoutHost },
    },
  }),
  // Only common variants: a verifier that is more lenient does not break the contract.
  defineSigned('AU-TC3-NORMAL-FORM/1', {
    accepted: {
      'a GET with signed headers in arbitrary order and case': {
        headers: toHeaderList({ 'x-c': '3', 'X-B': '2', 'X-CONFORMANCE': '1' }),
      },
      'a GET with uppercase letters in a signed value': { headers: [['X-A', 'Some VALUE']] },
      'a GET with spaces around and inside a signed value': { headers: [['X-A', '  a   b  ']] },
      'a POST with uppercase letters in its type': {
        ...POSTED,
        headers: [['CONTENT-TYPE', 'Application/JSON; Charset=UTF-8']],
      },
    },
  }),
  defineSigned('AU-TC3-NORMAL-FORM/2', {
    prepare: assertForms,
    accepted: Object.fromEntries(
      ['; ', ';'].flatMap((separator) => {
        const type = `multipart/form-data${separator}boundary=${BOUNDARY}`;
        const form: SignedCall = { headers: [['Content-Type', type]], body: FORM };
        return (['cut', 'kept'] as const).map((boundary) => [
          `a POST of the type ${type}, signed with the boundary ${boundary}`,
          { ...form, sign: () => ({ boundary }) },
        ]);
      }),
    ),
  }),
];
