import type { ChildProcess } from 'node:child_process';
import type { Row, Suite } from '../compare.ts';
import { compareCpuRates, type Target } from '../load.ts';
import { LOAD_CORE, makeTemporaryFolder, SERVER_CORE, startServer, stop } from '../processes.ts';

const PEERS = [
  { peerName: 'httpxy', goal: '>= 1.3' },
  { peerName: 'http-proxy-middleware', goal: '>= 1.6' },
] as const;

/**
 * Requests a small JSON response from a hosted service through two proxies. Ours verifies tokens and applies
 * every rule of the contract; the peers use their defaults and keep-alive connections.
 */
export const gatewaySuite: Suite = {
  name: 'gateway',
  description: "The reference server's gateway against httpxy and http-proxy-middleware",
  run: async (runs) => {
    const service = await startServer('minimal', ['gateway-origin'], LOAD_CORE);
    const args = [makeTemporaryFolder('gateway'), service.url];
    const ours = await startServer('ours', args, SERVER_CORE);
    const headers = { authorization: `Bearer ${ours.output}` };
    const rows: Row[] = [];
    for (const { peerName, goal } of PEERS) {
      const measure = 'small JSON response, requests/CPU s';
      const figure = { suite: 'gateway', measure, peerName, goal };
      const peer = await startServer('minimal', [peerName, service.url], SERVER_CORE);
      rows.push(await compareCpuRates(figure, runs, toTarget(ours, headers), toTarget(peer)));
      await stop(peer.child);
    }
    await stop(ours.child, service.child);
    return rows;
  },
};

function toTarget({ child, url }: { child: ChildProcess; url: string }, headers = {}): Target {
  return { child, call: { url: `${url}/v1/cloudrun/hello/`, method: 'GET', headers } };
}
