import type { GatewayCall } from '../../trial/gateway-tool.ts';
import { defineCheck } from '../check.ts';
import { hasErrorBody } from '../support/has-error-body.ts';
import { openSocket } from '../support/open-socket.ts';

const BAD: Record<string, NonNullable<GatewayCall['credentials']>> = {
  'no credentials': 'none',
  'a wrong token': { Authorization: 'Bearer wrong' },
  'an empty token': { Authorization: 'Bearer ' },
  'credentials of no scheme': { Authorization: 'Wrong wrong' },
  'half a signature': { Authorization: 'TC3-HMAC-SHA256 Credential=a' },
};

export const gwWsAuth = defineCheck('GW-WS-AUTH', ['fixture'], async (t) => {
  await openSocket(t, {}, async () => {});
  const { otherEnvToken, expiredToken } = t.settings;
  const toBearer = (token?: string) => token && { Authorization: `Bearer ${token}` };
  const given = {
    'a token of another environment': toBearer(otherEnvToken),
    'an expired token': toBearer(expiredToken),
  };
  for (const [what, credentials] of Object.entries({ ...BAD, ...given })) {
    if (!credentials) continue;
    for (const offers of [[], ['conformance']]) {
      const mark = t.uniqueName();
      const call = { path: t.fixture.socket({ mark }), credentials };
      const upgrade = await t.gateway.upgrade(call, offers);
      const { status, refusal, socket } = upgrade;
      t.expect(status >= 400 && status < 500, `${what}: the status must be 4xx, not ${status}`);
      const isError = refusal !== undefined && hasErrorBody(refusal.received);
      t.expect(isError, `${what}: the answer must have the error body`, upgrade.refusal ?? upgrade);
      socket?.close();
      const count = await t.fixture.count(mark);
      t.expect(count === 0, `${what}: the service must not be called`, upgrade.refusal ?? upgrade);
    }
  }
});
