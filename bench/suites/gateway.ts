import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../scripts/testing/free-port.ts';
import type { Figure, Row, Suite } from '../compare.ts';
import { type Call, compareCpuRates, type Target } from '../load.ts';
import {
  firstOutputOf,
  LOAD_CORE,
  makeTemporaryFolder,
  SERVER_CORE,
  startNode,
  startServer,
  stopProcess,
  waitFor,
} from '../processes.ts';

const OURS = join(import.meta.dirname, '../servers/ours.ts');

const NAME = 'gateway';

/** The peers, and the goals of our rates. */
const PEERS: readonly Pick<Figure, 'peerName' | 'goal'>[] = [
  { peerName: 'httpxy', goal: '>= 1.3' },
  { peerName: 'http-proxy-middleware', goal: '>= 1.6' },
];

/**
 * Requests a small JSON response from a hosted service through two proxies. Ours verifies tokens and applies
 * every rule of the contract; the peers use their defaults and keep-alive connections. As in the `stubs` suite, counts
 * requests per second of CPU time.
 */
export const gatewaySuite: Suite = {
  name: NAME,
  description: "The reference server's gateway against httpxy and http-proxy-middleware",
  run: async (runs) => {
    const { child: service, url: origin } = await startServer(
      'minimal',
      ['gateway-origin'],
      LOAD_CORE,
    );
    const ours = await startOurs(origin);
    const rows: Row[] = [];
    try {
      for (const { peerName, goal } of PEERS) {
        const measure = 'small JSON response, requests/CPU s';
        const figure: Figure = { suite: NAME, measure, peerName, goal };
        const peer = await startServer('minimal', [peerName, origin], SERVER_CORE);
        rows.push(await compareCpuRates(figure, runs, ours, await toTarget(peer.child, peer.url)));
        await stopProcess(peer.child);
      }
      return rows;
    } finally {
      await Promise.all([ours.child, service].map(stopProcess));
    }
  },
};

async function startOurs(origin: string): Promise<Target> {
  const port = await freePort();
  const args = [OURS, String(port), makeTemporaryFolder(NAME), origin];
  const child = startNode(args, SERVER_CORE);
  const token = await firstOutputOf(child);
  return toTarget(child, `http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` });
}

async function toTarget(child: ChildProcess, base: string, headers = {}): Promise<Target> {
  const call: Call = { url: `${base}/v1/cloudrun/hello/`, method: 'GET', headers };
  await waitFor(call.url, call);
  return { child, call };
}
