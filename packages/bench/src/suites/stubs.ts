import {
  compareToLimit,
  type Figure,
  type Goal,
  type Row,
  type Suite,
  toLimit,
} from '../compare.ts';
import { compareCpuRates, type Target } from '../load.ts';
import { runNode, SERVER_CORE, startServer, stopProcess, waitFor } from '../processes.ts';

const SUITE = 'stubs';

const FILE = 'cloud://dev.files/reports/summary-of-the-year-and-all-that-it-brought-2026.txt';
const BATCHES = [
  { name: '~100 bytes', body: JSON.stringify({ fileList: [FILE] }) },
  { name: '50 items', body: JSON.stringify({ fileList: Array(50).fill(FILE) }) },
];
const PAIRS: readonly Pair[] = [
  { ours: 'express', peer: 'peer-express', peerName: 'Express 5 by hand', goal: '>= 1.4' },
  {
    ours: 'express',
    peer: 'peer-validator',
    peerName: 'express-openapi-validator',
    goal: '>= 2.5',
  },
  { ours: 'bare', peer: 'peer-http', peerName: 'node:http', goal: '>= 0.85' },
];

type Pair = { ours: string; peer: string; peerName: string; goal: Goal };
type Batch = (typeof BATCHES)[number];

const IMPORT = toLimit(SUITE, 'cold import, ms', '60 ms');
const COMPARISONS = PAIRS.flatMap((pair) => BATCHES.map((batch) => ({ pair, batch })));

/**
 * Sends the same storage POST to servers with the same handler; ours also validates requests and responses.
 * Each server runs on one core, and the load generator on another. Counts requests per second of server CPU
 * time. This is the throughput of a dedicated core, which is limited neither by other load nor by
 * `autocannon` (about 60,000 requests/s).
 */
export const stubsSuite: Suite = {
  name: SUITE,
  description: 'The server stubs against Express, express-openapi-validator and node:http',
  figures: [...COMPARISONS.map(toFigure), IMPORT],
  run: async (runs) => {
    const rows: Row[] = [];
    for (const each of COMPARISONS) rows.push(await comparePair(each, runs));
    rows.push(await compareToLimit(IMPORT, runs, timeImport));
    return rows;
  },
};

function toFigure({ pair, batch }: { pair: Pair; batch: Batch }): Figure {
  const place = pair.ours === 'bare' ? 'node:http' : 'Express 5';
  const measure = `storage POST of ${batch.name} in ${place}, requests/CPU s`;
  return { suite: SUITE, measure, peerName: pair.peerName, goal: pair.goal };
}

async function comparePair(each: { pair: Pair; batch: Batch }, runs: number): Promise<Row> {
  const { ours, peer } = each.pair;
  const { body } = each.batch;
  const [our, their] = await Promise.all([start(ours, body), start(peer, body)]);
  try {
    return await compareCpuRates(toFigure(each), runs, our, their);
  } finally {
    await Promise.all([our, their].map(({ child }) => stopProcess(child)));
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

/** Times the import of the package in a new process. */
async function timeImport(): Promise<number> {
  const code = `const start = performance.now();
await import('${import.meta.resolve('@berth/server-stubs')}');
process.stdout.write(String(performance.now() - start));`;
  return Number(await runNode(['--input-type=module', '--eval', code], SERVER_CORE));
}
