import type { DueFault } from './fault-rules.ts';

/** What becomes of the body of an answer. */
export interface BodyShape {
  /** Bytes after which it breaks off; `Infinity` where it does not. */
  readonly limit: number;
  /** How it breaks off: by a reset, or as a connection that is lost. */
  readonly byReset: boolean;
  /** `Infinity` for no limit. */
  readonly bytesPerSecond: number;
}

/** The least of what several faults leave of a body; undefined where they leave it as it is. */
export function toBodyShape(faults: readonly DueFault[]): BodyShape | undefined {
  let limit = Infinity;
  let byReset = false;
  let bytesPerSecond = Infinity;
  for (const { fault } of faults) {
    const after = typeof fault.reset === 'object' ? fault.reset.after : Infinity;
    const cut = Math.min(after, fault.truncate ?? Infinity);
    if (cut < limit) {
      limit = cut;
      byReset = after === cut;
    }
    bytesPerSecond = Math.min(bytesPerSecond, fault.bytesPerSecond ?? Infinity);
  }
  if (limit === Infinity && bytesPerSecond === Infinity) return undefined;
  return { limit, byReset, bytesPerSecond };
}
