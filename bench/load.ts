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

export type Call = {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
};

/** A server under load. */
export type Target = { child: ChildProcess; call: Call };

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
  // Servers run for longer than a benchmark.
  for (const target of [ours, peer]) await load(target.call, { amount: WARM_UP_REQUESTS });
  const rate = (target: Target) => () => measureCpuRate(target);
  return compare(figure, runs * PAIRS_PER_RUN, rate(ours), rate(peer));
}

async function measureCpuRate({ child: { pid = 0 }, call }: Target): Promise<number> {
  const before = cpuSeconds(pid);
  const responses = await load(call, { duration: SLICE_SECONDS });
  return responses / (cpuSeconds(pid) - before);
}

/** How many requests to send: for some seconds, or a number of them. */
type Amount = { duration: number } | { amount: number };

/** Sends requests from a separate process, over 32 keep-alive connections. Returns the number of responses. */
export async function load(call: Call, amount: Amount): Promise<number> {
  const args = [import.meta.filename, JSON.stringify({ ...call, ...amount })];
  const { responses, wrong } = JSON.parse(await run(process.execPath, args, LOAD_CORE));
  if (wrong > 0) throw new Error(`${call.url}: ${wrong} calls failed or did not return 200.`);
  return responses;
}

if (import.meta.main) {
  const [options = ''] = process.argv.slice(2);
  const result = await autocannon({ ...JSON.parse(options), connections: 32 });
  const wrong = result.errors + result.timeouts + result.non2xx;
  process.stdout.write(JSON.stringify({ responses: result['2xx'], wrong }));
}
