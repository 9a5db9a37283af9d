import type { ChildProcess } from 'node:child_process';
import type { Figure, Suite } from '../compare.ts';
import { compareCpuRates, type Target } from '../load.ts';
import { LOAD_CORE, makeTemporaryFolder, SERVER_CORE, startServer, stop } from '../processes.ts';

const FIGURE: Figure = {
  measure: 'small JSON response, requests/CPU s',
  peerName: 'httpxy',
  goal: '>= 1.3',
};

/**
 * Requests a small JSON response from a hosted service through two proxies. Ours verifies tokens and applies
 * every rule of the contract; the peer uses its defaults and keep-alive connections.
 */
export const gatewaySuite: Suite = {
  name: 'gateway',
  description: "The reference server's gateway against httpxy",
  run: async (runs) => {
    const service = await startServer('minimal', ['gateway-origin'], LOAD_CORE);
    const ours = await startServer('ours', [makeTemporaryFolder(), service.url], SERVER_CORE);
    const peer = await startServer('minimal', ['httpxy', service.url], SERVER_CORE);
    const headers = { authorization: `Bearer ${ours.output}` };
    const row = await compareCpuRates(FIGURE, runs, toTarget(ours, headers), toTarget(peer));
    await stop(ours.child, peer.child, service.child);
    return [row];
  },
};

function toTarget({ child, url }: { child: ChildProcess; url: string }, headers = {}): Target {
  return { child, call: { url: `${url}/v1/cloudrun/hello/`, method: 'GET', headers } };
}
