import type { Pointer } from './pointer.ts';

/** One thing in a document that cannot be generated, or that the reader should know of. */
export interface Problem {
  readonly pointer: Pointer;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/**
 * What was met while a document was read. Refusals are collected, so that all of them are told at
 * once; notes tell of what is generated in a way that may surprise.
 */
export class Problems {
  readonly refusals: Problem[] = [];
  readonly notes: Problem[] = [];
  readonly #seen = new Set<string>();

  refuse(pointer: Pointer, message: string): void {
    this.#add(this.refusals, pointer, message);
  }

  note(pointer: Pointer, message: string): void {
    this.#add(this.notes, pointer, message);
  }

  /** @throws RefusedError where anything was refused */
  assertNone(): void {
    if (this.refusals.length > 0) throw new RefusedError(this.refusals);
  }

  // A component is read once for each place that refers to it.
  #add(list: Problem[], pointer: Pointer, message: string): void {
    const key = `${pointer} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    list.push({ pointer, message });
  }
}

/** The document asks for what cannot be generated; nothing was written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ pointer, message }) => `${pointer}\n  ${message}`).join('\n'));
    this.problems = problems;
  }
}
