import type { Socket, Upgrade } from '../../http/open-web-socket.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';

export interface SocketOrder extends NonNullable<Parameters<Trial['fixture']['socket']>[0]> {
  /** Subprotocols that are offered. */
  offers?: readonly string[];
  call?: GatewayCall;
}

/**
 * Opens a WebSocket of the fixture service, and closes it when `use` is done. Where none opens, the
 * check is not reached: that is a matter of GW-WS-UPGRADE.
 */
export async function openSocket<Result>(
  t: Trial,
  { offers = [], call = {}, ...order }: SocketOrder,
  use: (socket: Socket, upgrade: Upgrade) => Promise<Result>,
): Promise<Result> {
  const path = t.fixture.socket(order);
  const upgrade = await t.gateway.upgrade({ path, ...call }, offers);
  const { socket, status, breach = '' } = upgrade;
  t.reach(socket !== undefined, `no WebSocket was opened: ${status} ${breach}`);
  try {
    return await use(socket, upgrade);
  } finally {
    socket.close();
    // Only the end is waited for, not how it comes.
    await socket.closed().catch(() => {});
  }
}
