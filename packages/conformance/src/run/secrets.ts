import type { Settings } from '../options.ts';
import { createRedactor, listSecrets, toIndex } from '../report/redact.ts';

/** The secrets of a run, which grow while it goes on. */
export interface RunSecrets {
  /** Adds the credentials that an upload grant hands out: who has them can write. */
  addGrant(data: Record<string, unknown> | undefined): void;
  /** Adds the headers that a signer of the operator's own has made, which are secrets by name, too. */
  addHeaders(headers: Iterable<readonly [name: string, value: string]>): void;
  add(value: string): void;
  /** Blanks all of them in every string of a value. */
  redact<T>(value: T): T;
}

const MOST_VALUES = 20_000;

export function createRunSecrets(settings: Settings): RunSecrets {
  const all = listSecrets(settings);
  const values = new Set(all.values);
  const index = toIndex(all.values);
  const add = (value: string) => {
    if (values.size >= MOST_VALUES || values.has(value)) return;
    values.add(value);
    index.add(value);
  };
  return {
    add,
    addGrant({ token, authorization } = {}) {
      for (const value of [token, authorization]) if (typeof value === 'string') add(value);
    },
    addHeaders(headers) {
      for (const [name, value] of headers) {
        const key = name.toLowerCase();
        if (!all.headers.includes(key)) all.headers.push(key);
        add(value);
      }
    },
    redact: createRedactor(all, index),
  };
}
