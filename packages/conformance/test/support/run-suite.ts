import { expect } from 'vitest';
import { type ConformanceOptions, createConformance, type Outcome } from '../../src/index.ts';

/** The MUST results of a run by outcome, each as its ID and its reason or finding: `GW-C1: must be …`. */
export interface Ran extends Record<Outcome, string[]> {
  exitCode: number;
  /** The SHOULD results that failed. */
  failedShoulds: string[];
  sentence: string;
  notices: string[];
  leftovers: readonly string[];
}

/** Runs the whole suite, unless `only` restricts it. */
export async function runSuite(options: ConformanceOptions): Promise<Ran> {
  const notices: string[] = [];
  const onNotice = (text: string) => notices.push(text);
  const lists = { pass: [], fail: [], skip: [], disabled: [], error: [], failedShoulds: [] };
  const ran: Ran = { ...lists, exitCode: 2, sentence: '', notices, leftovers: [] };
  try {
    const report = await createConformance({ onNotice, ...options }).run();
    Object.assign(ran, { exitCode: report.exitCode, leftovers: report.leftovers });
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
export async function runWithoutLeaks(options: ConformanceOptions): Promise<Ran> {
  const before = listHandles().length;
  const ran = await runSuite(options);
  await expect.poll(() => listHandles().length).toBeLessThanOrEqual(before);
  return ran;
}
