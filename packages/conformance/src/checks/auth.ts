import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { toTc3Header } from '../credentials/sign-tc3.ts';
import { type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { jsonPost } from './fixture-calls.ts';
import {
  assertClock,
  expectForwarded,
  expectRefused,
  forgeTokens,
  IDENTITIES,
  type NamedCalls,
} from './support/credentials.ts';

/** Returns a GET and a POST at the root of the service and below it, with this query. */
function toCalls(credentials: NonNullable<GatewayCall['credentials']>, query: string): NamedCalls {
  const [root, deep] = [`?${query}`, `/a/b?${query}`];
  return {
    'a GET of the root': { path: root, credentials },
    'a GET of a path': { path: deep, credentials },
    'a POST to the root': { path: root, ...jsonPost, credentials },
    'a POST to a path': { path: deep, ...jsonPost, credentials },
  };
}

/** Returns calls with each of several named `Authorization` values, alternating between GET and POST. */
function toCallsWith(values: Record<string, string>, query: string): NamedCalls {
  const path = `/a/b?${query}`;
  const calls = Object.entries(values).map(([what, value], index): [string, GatewayCall] => {
    const credentials = { Authorization: value };
    if (index % 2 === 0) return [`a GET with ${what}`, { path, credentials }];
    return [`a POST with ${what}`, { path, ...jsonPost, credentials }];
  });
  return Object.fromEntries(calls);
}

const MALFORMED = {
  'no token after Bearer': '',
  'a token whose three parts are not JSON': 'a.b.c',
  'the token undefined': 'undefined',
  'a two-word token': 'made up',
  'a token with 1,000 letters': 'x'.repeat(1000),
};

const BASIC = Buffer.from('admin:admin').toString('base64');

const HEX = 'a'.repeat(64);

const MADE_UP = {
  Basic: `Basic ${BASIC}`,
  Digest: `Digest username="admin", realm="a", nonce="b", uri="/", response="${'a'.repeat(32)}"`,
  'a signature with another version': toTc3Header({
    Credential: 'id/2026-01-01/svc/tc3_request',
    SignedHeaders: 'host',
    Signature: HEX,
    Timestamp: '1767225600',
  }).replace(/^\S+/, 'TC2-HMAC-SHA256'),
  'a signature for another platform': `AWS4-HMAC-SHA256 Credential=id/20260101/a/s3/aws4_request, SignedHeaders=host, Signature=${HEX}`,
  'an unknown scheme': 'Conformance x',
};

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

/** Returns valid credentials in headers that they are not for. */
async function toMisplaced(t: CheckContext): Promise<HeaderList> {
  const { gatewayToken = 'made-up', gatewayUrl, storageUrl, wireProfile } = t.settings;
  // Credentials for the storage API are sent to no other server.
  const isOneServer = new URL(gatewayUrl).origin === new URL(storageUrl).origin;
  const ofStorage = isOneServer ? await t.storage.credentials() : [];
  return [
    ['Proxy-Authorization', `Bearer ${gatewayToken}`],
    ...withHeaders(ofStorage, [[wireProfile.storageHeaders.sessionToken, gatewayToken]]),
  ];
}

async function expectAccepted(t: CheckContext, credentials: 'bearer' | 'signature'): Promise<void> {
  await expectForwarded(t, toCalls(credentials, `mark=${t.uniqueName()}`));
  const upgrade = await t.gateway.upgrade({ path: t.fixture.socket(), credentials });
  upgrade.socket?.close();
  const { status, refusal = upgrade } = upgrade;
  const message = `a handshake must be accepted, but the response was ${status}`;
  t.expect(status !== 401 && status !== 403, message, refusal);
}

export const auth: readonly Check[] = [
  defineCheck('AU-BEARER', ['fixture', 'bearer'], (t) => expectAccepted(t, 'bearer')),
  defineCheck('AU-BEARER-ENV', ['fixture', 'otherEnvToken'], (t) => {
    const credentials = { Authorization: `Bearer ${t.settings.otherEnvToken}` };
    const headers = { 'X-Forwarded-Host': t.gateway.host };
    return expectRefused(t, (query) => ({
      ...toCalls(credentials, query),
      'a GET with X-Forwarded-Host': { path: `/a?${query}`, headers, credentials },
    }));
  }),
  defineCheck('AU-SIGNATURE', ['fixture', 'signature'], async (t) => {
    await assertClock(t);
    await expectAccepted(t, 'signature');
  }),
  defineCheck('AU-NONE', ['fixture'], (t) =>
    expectRefused(t, (query) => ({
      ...toCalls('none', query),
      ...toCallsWith({ 'an empty Authorization header': '' }, query),
      'a GET without credentials, but with headers that name a user or an internal caller': {
        path: `/a/b?${query}`,
        headers: [...IDENTITIES, ['X-Internal', '1'], ['X-Api-Key', 'conformance']],
        credentials: 'none',
      },
    })),
  ),
  defineCheck('AU-REJECTED/1', ['fixture'], async (t) => {
    const { gatewayToken, expiredToken } = t.settings;
    if (gatewayToken === undefined)
      t.note('Forged tokens were not tested, because --gateway-token is missing.');
    if (expiredToken === undefined)
      t.note('An expired token was not tested, because --expired-token is missing.');
    const tokens = {
      ...MALFORMED,
      ...(gatewayToken && forgeTokens(gatewayToken)),
      ...(expiredToken && { 'an expired token': expiredToken }),
    };
    const values = Object.entries(tokens).map(([what, token]) => [
      what,
      `Bearer ${token}`.trimEnd(),
    ]);
    await expectRefused(t, (query) => toCallsWith(Object.fromEntries(values), query));
  }),
  defineCheck('AU-REJECTED/2', ['fixture'], async (t) => {
    const misplaced = await toMisplaced(t);
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const [ofStorage] = readAll(misplaced, authorization);
    const values = {
      ...MADE_UP,
      ...toGoodTokens(t),
      ...(ofStorage && { 'an authorization for the storage API': ofStorage }),
    };
    await expectRefused(t, (query) => {
      const path = `/a/b?${query}`;
      return {
        ...toCallsWith(values, query),
        'a GET with valid credentials in other headers': { path, credentials: misplaced },
        'a GET with an API key': { path, credentials: { 'X-Api-Key': 'conformance' } },
      };
    });
  }),
  defineCheck('AU-EACH-CALL', ['fixture'], async (t: CheckContext) => {
    const { otherEnvToken } = t.settings;
    const bad: Record<string, GatewayCall> = {
      'a GET without credentials': { credentials: 'none' },
      'a POST without credentials': { ...jsonPost, credentials: 'none' },
      'a GET with a wrong token': { credentials: { Authorization: 'Bearer wrong' } },
      'a GET with half a signature': {
        credentials: { Authorization: 'TC3-HMAC-SHA256 Credential=a' },
      },
      ...(otherEnvToken && {
        'a GET with a token from another environment': {
          credentials: { Authorization: `Bearer ${otherEnvToken}` },
        },
      }),
    };
    const toNamed = (query: string) =>
      Object.entries(bad).map(([what, call]) => [
        `${what} after an accepted call on the same connection`,
        { ...call, path: `/a/b?${query}` },
      ]);
    await t.onOneConnection(async ({ gateway }) => {
      const afterAccepted = {
        async call(call: GatewayCall) {
          const exchange = await gateway.call({ path: '/a' });
          t.reach(t.fixture.readEcho(exchange) !== undefined, 'a valid call does not arrive');
          return gateway.call(call);
        },
      };
      const toAll = (query: string) => Object.fromEntries(toNamed(query));
      await expectRefused(t, toAll, undefined, afterAccepted);
    });
  }),
];
