import type { CheckContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { toTc3Header } from '../credentials/sign-tc3.ts';
import { type HeaderList, readAll, withHeaders } from '../http/exchange.ts';
import { type Check, defineCheck } from './check.ts';
import { forgeTokens } from './support/forge-tokens.ts';
import {
  assertClock,
  expectForwarded,
  expectRefused,
  jsonPost,
  type NamedCalls,
} from './support/gateway.ts';

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

/** Headers that some gateways take for the credentials or the identity of an internal call. */
const IDENTITIES = {
  'X-Forwarded-For': '127.0.0.1',
  'X-Real-IP': '127.0.0.1',
  'X-Forwarded-User': 'admin',
  'X-Remote-User': 'admin',
  'X-Internal': '1',
  'X-Api-Key': 'conformance',
};

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

/** Expects a handshake with credentials of this kind to be accepted. */
async function expectHandshake(
  t: CheckContext,
  credentials: 'bearer' | 'signature',
): Promise<void> {
  const upgrade = await t.gateway.upgrade({ path: t.fixture.socket(), credentials });
  upgrade.socket?.close();
  const isAccepted = upgrade.status !== 401 && upgrade.status !== 403;
  const came = upgrade.refusal ?? upgrade;
  t.expect(
    isAccepted,
    `a handshake must be accepted, but the response was ${upgrade.status}`,
    came,
  );
}

export const auth: readonly Check[] = [
  defineCheck('AU-BEARER', ['fixture', 'bearer'], async (t) => {
    await expectForwarded(t, toCalls('bearer', t.uniqueName()));
    await expectHandshake(t, 'bearer');
  }),
  defineCheck('AU-BEARER-ENV', ['fixture', 'otherEnvToken'], async (t) => {
    const mark = t.uniqueName();
    const other = { Authorization: `Bearer ${t.settings.otherEnvToken}` };
    const calls = toCalls(other, mark);
    const named = Object.entries(calls).map(([what, call]) => [
      `${what} with a token from another environment`,
      call,
    ]);
    const host = { 'X-Forwarded-Host': t.gateway.host };
    await expectRefused(t, mark, {
      ...Object.fromEntries(named),
      'a GET with such a token and X-Forwarded-Host': {
        path: `/a?mark=${mark}`,
        headers: host,
        credentials: other,
      },
    });
  }),
  defineCheck('AU-SIGNATURE', ['fixture', 'signature'], async (t) => {
    await assertClock(t);
    await expectForwarded(t, toCalls('signature', t.uniqueName()));
    await expectHandshake(t, 'signature');
  }),
  defineCheck('AU-NONE', ['fixture'], async (t) => {
    const mark = t.uniqueName();
    await expectRefused(t, mark, {
      ...toCalls('none', mark),
      ...toCallsWith({ 'an empty Authorization header': '' }, mark),
      'a GET without credentials, but with headers that name a user or an internal caller': {
        path: `/a/b?mark=${mark}`,
        headers: IDENTITIES,
        credentials: 'none',
      },
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
    const misplaced = await toMisplaced(t);
    const { authorization } = t.settings.wireProfile.storageHeaders;
    const [ofStorage] = readAll(misplaced, authorization);
    const values = {
      ...MADE_UP,
      ...toGoodTokens(t),
      ...(ofStorage && { 'an authorization for the storage API': ofStorage }),
    };
    await expectRefused(t, mark, {
      ...toCallsWith(values, mark),
      'a GET with valid credentials in other headers': {
        path: `/a/b?mark=${mark}`,
        credentials: misplaced,
      },
      'a GET with an API key': {
        path: `/a/b?mark=${mark}`,
        credentials: { 'X-Api-Key': 'conformance' },
      },
    });
  }),
  defineCheck('AU-EACH-CALL', ['fixture'], async (t: CheckContext) => {
    const { otherEnvToken } = t.settings;
    const mark = t.uniqueName();
    const path = `/a/b?mark=${mark}`;
    const after = 'after an accepted call on the same connection';
    const bad: Record<string, GatewayCall> = {
      [`a GET without credentials ${after}`]: { path, credentials: 'none' },
      [`a POST without credentials ${after}`]: { path, ...jsonPost, credentials: 'none' },
      [`a GET with a wrong token ${after}`]: {
        path,
        credentials: { Authorization: 'Bearer wrong' },
      },
      [`a GET with half a signature ${after}`]: {
        path,
        credentials: { Authorization: 'TC3-HMAC-SHA256 Credential=a' },
      },
      ...(otherEnvToken && {
        [`a GET with a token from another environment ${after}`]: {
          path,
          credentials: { Authorization: `Bearer ${otherEnvToken}` },
        },
      }),
    };
    await t.onOneConnection(async ({ gateway }) => {
      const afterAccepted = {
        async call(call: GatewayCall) {
          const exchange = await gateway.call({ path: '/a' });
          t.reach(t.fixture.readEcho(exchange) !== undefined, 'a valid call does not arrive');
          return gateway.call(call);
        },
      };
      await expectRefused(t, mark, bad, undefined, afterAccepted);
    });
  }),
];
