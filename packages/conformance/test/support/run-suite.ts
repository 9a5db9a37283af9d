import { expect } from 'vitest';
import { type ConformanceOptions, createConformance, type Report } from '../../src/index.ts';

export interface Ran {
  /** Absent if the run could not start. */
  report?: Report;
  exitCode: number;
  /** Message of a run that could not start. */
  sentence: string;
  notices: string[];
}

/** Handles of this process that a run may leave open. */
const KINDS = ['ProcessWrap', 'PipeWrap', 'TCPSocketWrap', 'TCPServerWrap', 'TLSWrap'];

function countHandles(): Record<string, number> {
  const open = process.getActiveResourcesInfo();
  return Object.fromEntries(KINDS.map((kind) => [kind, open.filter((one) => one === kind).length]));
}

/** Runs the whole suite, unless `only` restricts it, and checks that no handle stays open. */
export async function runSuite(options: ConformanceOptions): Promise<Ran> {
  const before = countHandles();
  const notices: string[] = [];
  const ran: Ran = { exitCode: 2, sentence: '', notices };
  try {
    const onNotice = (text: string) => notices.push(text);
    ran.report = await createConformance({ onNotice, ...options }).run();
    ran.exitCode = ran.report.exitCode;
  } catch (error) {
    if ((error as Error).name !== 'StartError') throw error;
    ran.sentence = (error as Error).message;
  }
  const listLeft = () =>
    Object.entries(countHandles()).filter(([kind, count]) => count > (before[kind] ?? 0));
  await expect.poll(listLeft).toEqual([]);
  return ran;
}

/** Returns the IDs of the results with an outcome, such as `pass`. */
export function idsOf({ report }: Ran, outcome: string): string[] {
  return (report?.results ?? []).filter((one) => one.outcome === outcome).map(({ id }) => id);
}

/** Returns the MUST checks with an outcome, each with its reason or findings. */
export function mustsOf({ report }: Ran, outcome: string): string[] {
  return (report?.results ?? [])
    .filter((one) => one.outcome === outcome && one.level === 'must')
    .map(({ id, reason, findings: [first] }) => `${id}: ${reason ?? first?.message}`);
}
