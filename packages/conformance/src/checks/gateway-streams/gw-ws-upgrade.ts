import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';

export const gwWsUpgrade = defineCheck('GW-WS-UPGRADE', ['fixture'], async (t: Trial) => {
  const calls: Record<string, [call: GatewayCall, offers: string[]]> = {
    'a handshake': [{}, []],
    'a handshake with a subprotocol': [{}, ['conformance']],
    'a handshake with Origin': [{ headers: { Origin: `http://${t.gateway.host}` } }, []],
    'a handshake with headers': [{ headers: { Cookie: 'a=1', 'X-Conformance': 'a' } }, []],
  };
  for (const [what, [call, offers]] of Object.entries(calls)) {
    const mark = t.uniqueName();
    const upgrade = await t.gateway.upgrade({ ...call, path: t.fixture.socket({ mark }) }, offers);
    const { status, breach, socket, refusal } = upgrade;
    t.reach(!refusal || !t.fixture.readEcho(refusal), 'the path did not reach the fixture');
    if (status === 403 && 'Origin' in Object(call.headers)) {
      t.note(`${what} is refused with 403, as a server may do (RFC 6455, section 10.2).`);
      continue;
    }
    t.expect(status === 101, `${what} must be answered with 101, not ${status}`);
    // A choice of subprotocol that breaks RFC 6455 is a matter of GW-WS-SUBPROTOCOL.
    const isSubprotocol = breach?.includes('subprotocol') === true;
    t.expect(isSubprotocol || !breach, `${what} must be answered with a good 101: ${breach}`);
    socket?.close();
    await socket?.closed().catch(() => {});
  }
});
