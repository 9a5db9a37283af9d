import type { CheckContext } from '../../context/check-context.ts';
import type { GatewayCall } from '../../context/gateway-client.ts';
import { forgeTokens } from './forge-tokens.ts';
import { hasErrorBody } from './gateway.ts';
import { signCall } from './signed-calls.ts';

type Credentials = NonNullable<GatewayCall['credentials']>;

/** Returns credentials that no gateway may accept for a handshake, keyed by description. */
function toBadCredentials(t: CheckContext, path: string): Record<string, Credentials> {
  const { otherEnvToken, expiredToken, gatewayToken, tc3 } = t.settings;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  // AU-BEARER-BAD covers the others.
  const forged = Object.entries(gatewayToken === undefined ? {} : forgeTokens(gatewayToken))
    .filter(([what]) => / changed | none$/.test(what))
    .map(([what, token]) => [what, bearer(token)]);
  const keys = { secretKey: `${tc3?.secretKey}x` };
  const signed = tc3 && signCall(t, { path, keys }).credentials;
  return {
    'no credentials': 'none',
    'a wrong token': bearer('wrong'),
    'an empty token': bearer(''),
    'credentials of an unknown scheme': { Authorization: 'Wrong wrong' },
    'half a signature': { Authorization: 'TC3-HMAC-SHA256 Credential=a' },
    ...(otherEnvToken && { 'a token from another environment': bearer(otherEnvToken) }),
    ...(expiredToken && { 'an expired token': bearer(expiredToken) }),
    ...Object.fromEntries(forged),
    ...(gatewayToken && {
      'a valid token sent with the Basic scheme': { Authorization: `Basic ${gatewayToken}` },
    }),
    ...(signed && { 'a signature made with another secret': signed }),
  };
}

/**
 * Expects handshakes to be 'authenticated like any call' (D14): with bad credentials, the response is a 4xx with
 * the error body, and the service is not called.
 */
export async function expectHandshakesRefused(t: CheckContext): Promise<void> {
  const mark = t.uniqueName();
  const path = t.fixture.socket({ mark });
  const ways = Object.entries(toBadCredentials(t, path));
  for (const [index, [what, credentials]] of ways.entries()) {
    const all = [[], ['conformance']];
    for (const offers of index < 2 ? all : [all[index % 2] ?? []]) {
      const upgrade = await t.gateway.upgrade({ path, credentials }, offers);
      const { status, refusal, socket } = upgrade;
      t.expect(status >= 400 && status < 500, `${what}: the status must be 4xx, not ${status}`);
      const isError = refusal !== undefined && hasErrorBody(refusal.received);
      const message = `${what}: the response must have the gateway's error body`;
      t.expect(isError, message, refusal ?? upgrade);
      socket?.close();
    }
  }
  const count = await t.fixture.count(mark);
  const called = `the service must not be called by rejected handshakes, but it was called ${count} times`;
  t.expect(count === 0, called);
}
