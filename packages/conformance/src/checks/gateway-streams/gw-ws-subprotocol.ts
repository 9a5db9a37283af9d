import { readAll } from '../../http/header-list.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { readHello } from '../support/read-hello.ts';

const NAME = 'sec-websocket-protocol';

export const gwWsSubprotocol = defineCheck('GW-WS-SUBPROTOCOL', ['fixture'], async (t) => {
  // The fixture picks the last one that is offered, unless it is told to pick another.
  await expectPicked(t, ['one'], 'one');
  await expectPicked(t, ['one', 'two', 'V3.conformance+x'], 'V3.conformance+x');
  await expectPicked(t, ['one', 'two', 'three'], 'two', 'two');
  await expectPicked(t, ['One', 'one'], 'One', 'One');
  await expectPicked(t, [], '');
});

async function expectPicked(
  t: Trial,
  offers: readonly string[],
  picked: string,
  protocol?: string,
): Promise<void> {
  const order = protocol === undefined ? {} : { protocol };
  const what = `offered ${offers.join(', ') || 'none'}`;
  const upgrade = await t.gateway.upgrade({ path: t.fixture.socket(order) }, offers);
  const { status, headers, socket } = upgrade;
  t.reach(status === 101, `a handshake was answered with ${status}`);
  const came = readAll(headers, NAME).join(', ');
  const message = `${what}: the caller must get "${picked}" of the service, not "${came}"`;
  t.expect(came === picked, message, upgrade);
  if (!socket) return;
  const hello = await readHello(t, socket);
  const arrived = readAll(hello.headers, NAME).join(',').replaceAll(' ', '');
  t.expect(arrived === offers.join(), `${what}: the service must get them so, not ${arrived}`);
  socket.close();
  await socket.closed().catch(() => {});
}
