import type { Figure, Row, Suite } from '../compare.ts';
import { compareCpuRates, type Target } from '../load.ts';
import { SERVER_CORE, startServer, stop } from '../processes.ts';

const FILE = 'cloud://dev.files/reports/summary-of-the-year-and-all-that-it-brought-2026.txt';
const BATCHES = { '~100 bytes': [FILE], '50 items': Array(50).fill(FILE) };
const PEERS = [
  { server: 'peer-express', peerName: 'Express 5 by hand', goal: '>= 1.2' },
  { server: 'peer-validator', peerName: 'express-openapi-validator', goal: '>= 2.5' },
] as const;

/**
 * Sends the same storage POST to servers with the same handler and the same checks of requests. Each server runs on
 * one core, and the load generator on another.
 */
export const stubsSuite: Suite = {
  name: 'stubs',
  description: 'The server stubs in Express against Express and express-openapi-validator',
  run: async (runs) => {
    const rows: Row[] = [];
    for (const { server, ...peer } of PEERS) {
      for (const [batch, fileList] of Object.entries(BATCHES)) {
        const measure = `storage POST of ${batch}, requests/CPU s`;
        const figure: Figure = { suite: 'stubs', measure, ...peer };
        const [ours, theirs] = [await start('express', fileList), await start(server, fileList)];
        rows.push(await compareCpuRates(figure, runs, ours, theirs));
        await stop(ours.child, theirs.child);
      }
    }
    return rows;
  },
};

async function start(server: string, fileList: readonly string[]): Promise<Target> {
  const { child, url } = await startServer('stubs', [server], SERVER_CORE);
  const call = {
    url: `${url}/api/v2/envs/dev/storages:batchDelete`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
      'x-svc-timestamp': '1700000000',
    },
    body: JSON.stringify({ fileList }),
  } as const;
  return { child, call };
}
