import { expect } from 'vitest';
import { type ConformanceOptions, createConformance, type Outcome } from '../src/index.ts';
import { listUnchecked } from '../src/results/result.ts';
import { runCli } from '../src/run-cli.ts';

/** The MUST results of a run by outcome, each as its ID and its reason or finding: `GW-C1: must be …`. */
export interface SuiteRun extends Record<Outcome, string[]> {
  exitCode: number;
  /** The SHOULD results that failed. */
  failedShoulds: string[];
  /** What was not checked, or only partly, of rules that passed or failed. */
  unchecked: string[];
  sentence: string;
  notices: string[];
  leftovers: readonly string[];
}

/** Runs the suite on a target, with some other options. */
export const runOn = ({ options }: { options: ConformanceOptions }, others: ConformanceOptions) =>
  createConformance({ ...options, ...others }).run();

/** Runs the whole suite, unless `only` restricts it. */
export async function runSuite(options: ConformanceOptions): Promise<SuiteRun> {
  const notices: string[] = [];
  const onNotice = (text: string) => notices.push(text);
  const lists = { pass: [], fail: [], skip: [], disabled: [], error: [] };
  const others = { failedShoulds: [], unchecked: [], leftovers: [] };
  const ran: SuiteRun = { ...lists, ...others, exitCode: 2, sentence: '', notices };
  try {
    const report = await createConformance({ onNotice, ...options }).run();
    Object.assign(ran, { exitCode: report.exitCode, leftovers: report.leftovers });
    ran.unchecked = report.results.flatMap(listUnchecked);
    for (const { id, level, outcome, reason, findings } of report.results) {
      const why = reason ?? findings[0]?.message;
      const list = level === 'must' ? ran[outcome] : outcome === 'fail' ? ran.failedShoulds : [];
      list.push(why === undefined ? id : `${id}: ${why}`);
    }
  } catch (error) {
    if ((error as Error).name !== 'StartError') throw error;
    ran.sentence = (error as Error).message;
  }
  return ran;
}

const KINDS = ['ProcessWrap', 'PipeWrap', 'TCPSocketWrap', 'TCPServerWrap', 'TLSWrap'];

const listHandles = () => process.getActiveResourcesInfo().filter((kind) => KINDS.includes(kind));

/** Runs the suite on servers that keep no connections, and checks that no handle stays open. */
export async function runWithoutLeaks(options: ConformanceOptions): Promise<SuiteRun> {
  const before = listHandles().length;
  const ran = await runSuite(options);
  await expect.poll(() => listHandles().length).toBeLessThanOrEqual(before);
  return ran;
}

interface Around {
  env?: Record<string, string>;
  signal?: AbortSignal;
  onLine?: (line: string) => void;
}

/** Runs the command line in this process. The output includes stderr. */
export async function runWithin(
  { env = {}, signal = new AbortController().signal, onLine = () => {} }: Around,
  ...args: string[]
): Promise<{ code: number; output: string; lines: string[] }> {
  const lines: string[] = [];
  const push = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  const paint = (_: string, text: string) => text;
  const output = { out: push, error: push, progress: () => {}, paint };
  const code = await runCli(args, { output, env, signal });
  return { code, output: lines.join('\n'), lines };
}

export const run = (...args: string[]) => runWithin({}, ...args);

/** Runs it against one URL that serves both APIs. */
export const runAgainst = (url: string, ...args: string[]) =>
  run('--gateway-url', url, '--storage-url', url, ...args);
