import { createHmac } from 'node:crypto';
import type { CheckContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { toTc3Header } from '../credentials/sign-tc3.ts';
import { type Check, defineCheck } from './check.ts';
import {
  assertClock,
  expectForwarded,
  expectRefused,
  jsonPost,
  type NamedCalls,
} from './support/gateway.ts';

/**
 * Derives invalid tokens from a valid token, keyed by what was changed. The gateway must reject all of them.
 * A JSON Web Token (RFC 7519) is changed in the ways that careless verifiers overlook; any other token is
 * changed as plain text.
 */
export function forgeTokens(token: string): Record<string, string> {
  const cut = {
    'a truncated token': token.slice(0, Math.floor(token.length / 2)),
    'a token with four extra letters': `${token}AAAA`,
  };
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = readJson(head);
  const claims = readJson(payload);
  if (header === undefined || claims === undefined) {
    return { ...cut, 'a token with changed letters': changeMiddle(token) };
  }
  const changed = toPart({ ...claims, sub: `${claims.sub ?? ''}x` });
  const hs256 = toPart({ ...header, alg: 'HS256' });
  return {
    ...cut,
    'a token with a changed payload': `${head}.${changed}.${signature}`,
    'a token with a changed signature': `${head}.${payload}.${changeMiddle(signature)}`,
    'a token with an empty signature': `${head}.${payload}.`,
    'a token without its signature': `${head}.${payload}`,
    ...Object.fromEntries(
      ['none', 'None', 'NONE'].map((alg) => [
        `a token with algorithm ${alg}`,
        `${toPart({ ...header, alg })}.${payload}.`,
      ]),
    ),
    'a token with algorithm none and a signature': `${toPart({ ...header, alg: 'none' })}.${payload}.${signature}`,
    'a token signed with an empty secret': `${hs256}.${payload}.${signEmpty(`${hs256}.${payload}`)}`,
  };
}

/** Changes letters that are not just padding. */
function changeMiddle(text: string): string {
  const middle = Math.floor(text.length / 2);
  const changed = text
    .slice(middle - 2, middle + 2)
    .replace(/./g, (one) => (one === 'A' ? 'B' : 'A'));
  return text.slice(0, middle - 2) + changed + text.slice(middle + 2);
}

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function readJson(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function signEmpty(text: string): string {
  return createHmac('sha256', '').update(text).digest('base64url');
}

/** Makes a GET and a POST at the root of the service and below it, with a mark in their query. */
function toCalls(credentials: GatewayCall['credentials'], mark: string): NamedCalls {
  const root = `?mark=${mark}`;
  const deep = `/a/b?mark=${mark}`;
  const given = credentials === undefined ? {} : { credentials };
  return {
    'a GET of the root': { path: root, ...given },
    'a GET of a path': { path: deep, ...given },
    'a POST to the root': { path: root, ...jsonPost, ...given },
    'a POST to a path': { path: deep, ...jsonPost, ...given },
  };
}

/** Makes a GET and a POST with each of several named `Authorization` values. */
function toCallsWith(values: Record<string, string>, mark: string): NamedCalls {
  const path = `/a/b?mark=${mark}`;
  const calls = Object.entries(values).flatMap(([what, value]) => {
    const credentials = [['Authorization', value]] as const;
    return [
      [`a GET with ${what}`, { path, credentials }],
      [`a POST with ${what}`, { path, ...jsonPost, credentials }],
    ] as const;
  });
  return Object.fromEntries(calls);
}

const MALFORMED = {
  'no token after Bearer': '',
  'a one-letter token': 'x',
  'a token whose three parts are not JSON': 'a.b.c',
  'the token undefined': 'undefined',
  'the token null': 'null',
  'a two-word token': 'made up',
  'a token that consists only of dots': '..',
  'a token with 1,000 letters': 'x'.repeat(1000),
};

const BASIC = Buffer.from('admin:admin').toString('base64');

const HEX = 'a'.repeat(64);

const MADE_UP = {
  Basic: `Basic ${BASIC}`,
  'Basic without credentials': 'Basic',
  Digest: `Digest username="admin", realm="a", nonce="b", uri="/", response="${'a'.repeat(32)}"`,
  Negotiate: `Negotiate ${BASIC}`,
  'a signature with another version': toTc3Header({
    Credential: 'id/2026-01-01/svc/tc3_request',
    SignedHeaders: 'host',
    Signature: HEX,
    Timestamp: '1767225600',
  }).replace(/^\S+/, 'TC2-HMAC-SHA256'),
  'a signature for another platform': `AWS4-HMAC-SHA256 Credential=id/20260101/a/s3/aws4_request, SignedHeaders=host, Signature=${HEX}`,
  'an unknown scheme': 'Conformance x',
};

/** Returns a valid token in schemes that it is not for. */
function toGoodTokens({ settings: { gatewayToken } }: CheckContext): Record<string, string> {
  if (gatewayToken === undefined) return {};
  const basic = Buffer.from(`token:${gatewayToken}`).toString('base64');
  return {
    'a valid token sent with the Basic scheme': `Basic ${gatewayToken}`,
    'a valid token as the password of Basic credentials': `Basic ${basic}`,
    'a valid token sent with the Token scheme': `Token ${gatewayToken}`,
    'a valid token sent with the BearerX scheme': `BearerX ${gatewayToken}`,
    'a valid token without a scheme': gatewayToken,
  };
}

export const auth: readonly Check[] = [
  defineCheck('AU-BEARER', ['fixture', 'bearer'], async (t) => {
    await expectForwarded(t, toCalls('bearer', t.uniqueName()));
  }),
  defineCheck('AU-BEARER-ENV', ['fixture', 'otherEnvToken'], async (t) => {
    const mark = t.uniqueName();
    const other = { Authorization: `Bearer ${t.settings.otherEnvToken}` };
    const calls = toCalls(other, mark);
    const named = Object.entries(calls).map(([what, call]) => [
      `${what} with a token from another environment`,
      call,
    ]);
    await expectRefused(t, mark, Object.fromEntries(named));
  }),
  defineCheck('AU-SIGNATURE', ['fixture', 'signature'], async (t) => {
    await assertClock(t);
    await expectForwarded(t, toCalls('signature', t.uniqueName()));
  }),
  defineCheck('AU-NONE', ['fixture'], async (t) => {
    const mark = t.uniqueName();
    await expectRefused(t, mark, {
      ...toCalls('none', mark),
      ...toCallsWith({ 'an empty Authorization header': '' }, mark),
    });
  }),
  defineCheck('AU-BEARER-BAD', ['fixture'], async (t) => {
    const { gatewayToken, expiredToken } = t.settings;
    if (gatewayToken === undefined)
      t.note('Forged tokens were not tested, because --gateway-token is missing.');
    if (expiredToken === undefined)
      t.note('An expired token was not tested, because --expired-token is missing.');
    const tokens = {
      ...MALFORMED,
      ...(gatewayToken === undefined ? {} : forgeTokens(gatewayToken)),
      ...(expiredToken === undefined ? {} : { 'an expired token': expiredToken }),
    };
    const values = Object.entries(tokens).map(([what, token]) => [
      what,
      `Bearer ${token}`.trimEnd(),
    ]);
    const mark = t.uniqueName();
    await expectRefused(t, mark, toCallsWith(Object.fromEntries(values), mark));
  }),
  defineCheck('AU-SCHEME-UNKNOWN', ['fixture'], async (t) => {
    const mark = t.uniqueName();
    await expectRefused(t, mark, toCallsWith({ ...MADE_UP, ...toGoodTokens(t) }, mark));
  }),
];
