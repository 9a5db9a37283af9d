import { CheckContext } from '../context/check-context.ts';
import type { Run } from '../context/run.ts';
import { NetworkFault } from '../http/faults.ts';

/**
 * Finds out whether handshakes of WebSockets get a response at all: some intermediaries never respond to them, and
 * each check would wait for its own timeout. Whether the response is the right one is left to the checks.
 */
export async function findWebSockets(run: Run): Promise<void> {
  const { gateway, fixture } = new CheckContext(run, 'probe');
  try {
    const { socket } = await gateway.upgrade({ path: fixture.socket(), acceptsRefusal: true });
    socket?.close();
    await socket?.closed();
  } catch (error) {
    if (!(error instanceof NetworkFault)) throw error;
    const reason = `no handshake of a WebSocket gets a response (${error.message}); does an intermediary allow upgrades?`;
    run.webSocket = reason;
    run.settings.onNotice(reason);
  }
}
