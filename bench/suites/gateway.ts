import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../scripts/testing/free-port.ts';
import type { Figure, Suite } from '../compare.ts';
import { type Call, compareCpuRates, type Target } from '../load.ts';
import {
  LOAD_CORE,
  makeTemporaryFolder,
  SERVER_CORE,
  startNode,
  startServer,
  stopProcess,
  waitFor,
} from '../processes.ts';

const OURS = join(import.meta.dirname, '../servers/ours.ts');

const FIGURE: Figure = {
  suite: 'gateway',
  measure: 'small JSON response, requests/CPU s',
  peerName: 'httpxy',
  goal: '>= 1.3',
};

/**
 * Requests a small JSON response from a hosted service through two proxies. Ours verifies tokens and applies
 * every rule of the contract; the peer uses its defaults. As in the `stubs` suite, counts requests per
 * second of CPU time.
 */
export const gatewaySuite: Suite = {
  name: FIGURE.suite,
  description: "The reference server's gateway against httpxy",
  run: async (runs) => {
    const { child: service, url: origin } = await startServer(
      'minimal',
      ['gateway-origin'],
      LOAD_CORE,
    );
    const ours = await startOurs(origin);
    const peer = await startServer('minimal', ['gateway-peer', origin], SERVER_CORE);
    try {
      const target = await toTarget(peer.child, peer.url);
      return [await compareCpuRates(FIGURE, runs, ours, target)];
    } finally {
      await Promise.all([ours.child, peer.child, service].map(stopProcess));
    }
  },
};

async function startOurs(origin: string): Promise<Target> {
  const port = await freePort();
  const args = [OURS, String(port), makeTemporaryFolder('gateway'), origin];
  const child = startNode(args, SERVER_CORE);
  const [token] = await once(child.stdout, 'data');
  return toTarget(child, `http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` });
}

async function toTarget(child: ChildProcess, base: string, headers = {}): Promise<Target> {
  const call: Call = { url: `${base}/v1/cloudrun/hello/`, method: 'GET', headers };
  await waitFor(call.url, call);
  return { child, call };
}
