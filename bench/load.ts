import type { ChildProcess } from 'node:child_process';
import autocannon from 'autocannon';
import { compare, type Figure, type Row } from './compare.ts';
import { cpuSeconds, LOAD_CORE, run } from './processes.ts';

/**
 * Other load on a machine changes within seconds, so the slices of a pair are as short as `autocannon`
 * allows, and there are several pairs for each run.
 */
const SLICE_SECONDS = 1;
const PAIRS_PER_RUN = 3;

/** By number, so that code is also compiled on a busy machine. */
const WARM_UP_REQUESTS = 20_000;

/** A server under load, and the call to it. */
export type Target = { child: ChildProcess; call: Call };

export type Call = {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
};

/** A storage call that deletes files. */
export function toDelete(baseUrl: string, fileList: readonly string[]): Call {
  return {
    url: `${baseUrl}/api/v2/envs/dev/storages:batchDelete`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-authorization': '1.0 TC3-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c',
      'x-svc-timestamp': '1700000000',
    },
    body: JSON.stringify({ fileList }),
  };
}

/**
 * Compares how many requests two servers handle per second of CPU time. This is their throughput on a
 * dedicated core, which neither other load nor `autocannon` limits.
 */
export async function compareCpuRates(
  figure: Figure,
  runs: number,
  ours: Target,
  peer: Target,
): Promise<Row> {
  for (const { call } of [ours, peer]) await load(call, { amount: WARM_UP_REQUESTS });
  const rate = (target: Target) => () => measureCpuRate(target);
  return compare(figure, runs * PAIRS_PER_RUN, rate(ours), rate(peer));
}

async function measureCpuRate({ child: { pid = 0 }, call }: Target): Promise<number> {
  const before = cpuSeconds(pid);
  const responses = await load(call, { duration: SLICE_SECONDS });
  return responses / (cpuSeconds(pid) - before);
}

/**
 * Sends requests from a separate process, over 32 keep-alive connections: for some seconds, or a number of them.
 * Returns the number of responses.
 */
export async function load(call: Call, amount: { duration: number } | { amount: number }) {
  const args = [import.meta.filename, JSON.stringify({ ...call, ...amount, connections: 32 })];
  const result = JSON.parse(await run(process.execPath, args, LOAD_CORE));
  const wrong = result.errors + result.timeouts + result.non2xx;
  if (wrong > 0) throw new Error(`${call.url}: ${wrong} calls failed or did not return 200.`);
  return result['2xx'] as number;
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await autocannon(JSON.parse(process.argv[2] ?? ''))));
}
