import type { Figure, Goal, Row, Suite } from '../compare.ts';
import { compareCpuRates, type Target } from '../load.ts';
import { SERVER_CORE, startServer, stopProcess, waitFor } from '../processes.ts';

const SUITE = 'stubs';

const FILE = 'cloud://dev.files/reports/summary-of-the-year-and-all-that-it-brought-2026.txt';
const BATCHES = [
  { name: '~100 bytes', body: JSON.stringify({ fileList: [FILE] }) },
  { name: '50 items', body: JSON.stringify({ fileList: Array(50).fill(FILE) }) },
];
const PEERS: readonly Peer[] = [
  { server: 'peer-express', peerName: 'Express 5 by hand', goal: '>= 1.2' },
  { server: 'peer-validator', peerName: 'express-openapi-validator', goal: '>= 2.5' },
];

type Peer = { server: string; peerName: string; goal: Goal };
type Batch = (typeof BATCHES)[number];

/**
 * Sends the same storage POST to servers with the same handler and the same checks of requests.
 * Each server runs on one core, and the load generator on another. Counts requests per second of server CPU
 * time. This is the throughput of a dedicated core, which is limited neither by other load nor by
 * `autocannon` (about 60,000 requests/s).
 */
export const stubsSuite: Suite = {
  name: SUITE,
  description: 'The server stubs in Express against Express and express-openapi-validator',
  run: async (runs) => {
    const rows: Row[] = [];
    for (const peer of PEERS) {
      for (const batch of BATCHES) rows.push(await comparePair(peer, batch, runs));
    }
    return rows;
  },
};

async function comparePair(
  { server, peerName, goal }: Peer,
  { name, body }: Batch,
  runs: number,
): Promise<Row> {
  const measure = `storage POST of ${name}, requests/CPU s`;
  const figure: Figure = { suite: SUITE, measure, peerName, goal };
  const [ours, peer] = await Promise.all([start('express', body), start(server, body)]);
  try {
    return await compareCpuRates(figure, runs, ours, peer);
  } finally {
    await Promise.all([ours, peer].map(({ child }) => stopProcess(child)));
  }
}

async function start(server: string, body: string): Promise<Target> {
  const { child, url: base } = await startServer('stubs', [server], SERVER_CORE);
  const url = `${base}/api/v2/envs/dev/storages:batchDelete`;
  const headers = {
    'content-type': 'application/json',
    'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
    'x-svc-timestamp': '1700000000',
  };
  const init = { method: 'POST', headers, body } as const;
  await waitFor(url, init);
  return { child, call: { url, ...init } };
}
