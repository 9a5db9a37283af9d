import { createHmac } from 'node:crypto';
import type { Need } from '../contract/catalog.ts';
import { SkipError } from '../errors.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { readEcho } from '../http/fixture-protocol.ts';
import type { GatewayScheme } from '../http/sign.ts';
import { parseJson, toFields } from '../json.ts';
import { nameCredentials } from '../options.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import type { GatewayCall } from '../run/clients.ts';
import {
  assertClock,
  changeChars,
  expectForwarded,
  expectGatewayRejections,
  GET,
  isRejection,
  type NamedCalls,
  POST,
  SPOOFED_IDENTITY_HEADERS,
  showResponse,
} from './calls.ts';

const toCalls = (credentials: NonNullable<GatewayCall['credentials']>): NamedCalls => ({
  'a GET of the root': { path: '', credentials },
  'a GET of a path': { path: '/a/b', credentials },
  'a POST to the root': { ...POST, path: '', credentials },
  'a POST to a path': { ...POST, path: '/a/b', credentials },
});

/** Returns calls with each of several named `Authorization` values, alternating between GET and POST. */
function toCallsWith(values: Record<string, string>): NamedCalls {
  const calls = Object.entries(values).map(([what, Authorization], index) => {
    const call = { ...(index % 2 === 0 ? GET : POST), credentials: { Authorization } };
    return [`a ${call.method} with ${what}`, call];
  });
  return Object.fromEntries(calls);
}

/**
 * Derives invalid tokens from a valid token, keyed by what was changed. A JSON Web Token (RFC 7519) is changed in the
 * ways that careless verifiers overlook; any other token is changed as plain text.
 */
function forgeTokens(token: string): Record<string, string> {
  const changeMiddle = (text: string) => {
    // The last letters may be just padding.
    const middle = Math.floor(text.length / 2);
    return changeChars(text, middle - 2, middle + 2);
  };
  const cut = {
    'a truncated token': token.slice(0, Math.floor(token.length / 2)),
    'a token with four extra letters': `${token}AAAA`,
    'a token with changed letters': changeMiddle(token),
  };
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = toFields(parseJson(Buffer.from(head, 'base64url')));
  const claims = toFields(parseJson(Buffer.from(payload, 'base64url')));
  if (header.alg === undefined) return cut;
  const toPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${toPart({ ...header, alg: 'none' })}.${payload}`;
  const hs256 = `${toPart({ ...header, alg: 'HS256' })}.${payload}`;
  const hmac = createHmac('sha256', '').update(hs256).digest('base64url');
  return {
    ...cut,
    'a token with a changed payload': `${head}.${toPart({ ...claims, sub: 'other' })}.${signature}`,
    'a token with a changed signature': `${head}.${payload}.${changeMiddle(signature)}`,
    'a token without its signature': `${head}.${payload}`,
    'a token with algorithm none': `${unsigned}.`,
    'a token with algorithm none and a signature': `${unsigned}.${signature}`,
    'a token signed with an empty secret': `${hs256}.${hmac}`,
  };
}

const HEX = 'a'.repeat(64);

/** Returns valid credentials in headers that they are not for. */
function misplaceCredentials(t: CheckContext): HeaderList {
  const { gatewayToken = 'made-up', gatewayUrl, storageUrl, wireProfile } = t.run.settings;
  // Credentials for the storage API are sent to no other server.
  const isOneServer = new URL(gatewayUrl).origin === new URL(storageUrl).origin;
  const storageCredentials = isOneServer ? t.storage.credentials() : [];
  return [
    ['Proxy-Authorization', `Bearer ${gatewayToken}`],
    ...withHeaders(storageCredentials, [[wireProfile.storageHeaders.sessionToken, gatewayToken]]),
  ];
}

async function expectScheme(t: CheckContext, credentials: GatewayScheme): Promise<void> {
  await expectForwarded(t, toCalls(credentials));
  if (t.record.findings.length === 0) return;
  const options = nameCredentials(t.run.settings)[credentials];
  t.note(`A wrong value of ${options} fails this rule, too: check that first.`);
}

async function expectHandshake(t: CheckContext, credentials: GatewayScheme): Promise<void> {
  const upgrade = await t.gateway.upgrade({ path: t.fixture.path('/socket'), credentials });
  upgrade.socket?.close();
  const message = `a handshake must be accepted, but the response was ${showResponse(upgrade)}`;
  t.expectAccepted(!isRejection(upgrade), message, upgrade);
}

/** Defines a check that expects calls to be rejected, and the hosted service not to be called. */
const defineGatewayRejection = (
  id: SentenceId,
  needs: readonly Need[],
  listCalls: (t: CheckContext) => NamedCalls,
): Check => defineCheck(id, ['fixture', ...needs], (t) => expectGatewayRejections(t, listCalls(t)));

export const auth: readonly Check[] = [
  defineCheck('AU-BEARER', ['fixture', 'bearer'], async (t) => {
    await expectScheme(t, 'bearer');
    const credentials = { authorization: `Bearer ${t.run.settings.gatewayToken}` };
    await expectForwarded(t, { 'a GET with authorization in lower case': { credentials } });
  }),
  defineCheck('AU-BEARER', ['fixture', 'bearer', 'alsoWebSocket'], (t) =>
    expectHandshake(t, 'bearer'),
  ),
  defineCheck('AU-SIGNATURE', ['fixture', 'signature'], async (t) => {
    await assertClock(t);
    await expectScheme(t, 'signature');
  }),
  defineCheck('AU-SIGNATURE', ['fixture', 'signature', 'alsoWebSocket'], async (t) => {
    await assertClock(t);
    await expectHandshake(t, 'signature');
  }),
  defineGatewayRejection('AU-BEARER-ENV', ['otherEnvToken'], (t) => {
    const credentials = { Authorization: `Bearer ${t.run.settings.otherEnvToken}` };
    const headers = { 'X-Forwarded-Host': t.gateway.host };
    return { ...toCalls(credentials), 'a GET with X-Forwarded-Host': { headers, credentials } };
  }),
  defineGatewayRejection('AU-NONE', [], () => ({
    ...toCalls('none'),
    ...toCallsWith({ 'an empty Authorization header': '' }),
    'a GET with headers that name a user or an internal caller': {
      headers: SPOOFED_IDENTITY_HEADERS,
      credentials: 'none',
    },
  })),
  defineGatewayRejection('AU-REJECTED/1', [], (t) => {
    const { gatewayToken, expiredToken, nameOf } = t.run.settings;
    if (gatewayToken === undefined)
      t.note(`Forged tokens were not tested, because ${nameOf('gatewayToken')} is missing.`);
    if (expiredToken === undefined)
      t.note(`An expired token was not tested, because ${nameOf('expiredToken')} is missing.`);
    const tokens = {
      'no token after Bearer': '',
      'a token whose three parts are not JSON': 'a.b.c',
      'the token undefined': 'undefined',
      'a two-word token': 'made up',
      ...(gatewayToken && forgeTokens(gatewayToken)),
      ...(expiredToken && { 'an expired token': expiredToken }),
    };
    const values = Object.entries(tokens).map(([what, token]) => [what, `Bearer ${token}`.trim()]);
    return toCallsWith(Object.fromEntries(values));
  }),
  defineGatewayRejection('AU-REJECTED/2', [], (t) => {
    const { gatewayToken, wireProfile } = t.run.settings;
    const misplaced = misplaceCredentials(t);
    const [storageAuthorization] = readAll(misplaced, wireProfile.storageHeaders.authorization);
    return {
      ...toCallsWith({
        Basic: `Basic ${Buffer.from('admin:admin').toString('base64')}`,
        'a signature with another version': `TC2-HMAC-SHA256 Credential=id/2026-01-01/svc/tc3_request, SignedHeaders=host, Signature=${HEX}, Timestamp=1767225600`,
        'a signature for another platform': `AWS4-HMAC-SHA256 Credential=id/20260101/a/s3/aws4_request, SignedHeaders=host, Signature=${HEX}`,
        'an unknown scheme': 'Conformance x',
        ...(gatewayToken && {
          'a valid token sent with the Basic scheme': `Basic ${gatewayToken}`,
          'a valid token sent with the BearerX scheme': `BearerX ${gatewayToken}`,
          'a valid token without a scheme': gatewayToken,
        }),
        ...(storageAuthorization && { 'a storage authorization': storageAuthorization }),
      }),
      'a GET with valid credentials in other headers': { credentials: misplaced },
    };
  }),
  defineCheck('AU-EACH-CALL', ['fixture'], (t) => {
    const { otherEnvToken } = t.run.settings;
    const calls: NamedCalls = {
      ...toCallsWith({
        'a wrong token': 'Bearer wrong',
        ...(otherEnvToken && { 'a token from another environment': `Bearer ${otherEnvToken}` }),
      }),
      'a GET without credentials': { credentials: 'none' },
      'a POST without credentials': { ...POST, credentials: 'none' },
    };
    // Each after an accepted call on the same connection.
    return t.onOneConnection(({ gateway }) =>
      expectGatewayRejections(t, calls, async (call) => {
        const accepted = await gateway.call({ path: '/a' });
        if (!readEcho(accepted)) throw new SkipError('a valid call does not arrive');
        return gateway.call(call);
      }),
    );
  }),
];
