import type { Settings } from '../options.ts';
import { listSecrets, type Secrets } from '../report/redact.ts';

/** The secrets of a run, which grow while it goes on. */
export interface RunSecrets {
  /** Adds the credentials that an upload grant hands out: who has them can write. */
  addGrant(data: Record<string, unknown> | undefined): void;
  add(value: string): void;
  readonly all: Secrets;
}

const MOST_VALUES = 20_000;

export function createRunSecrets(settings: Settings): RunSecrets {
  const all = listSecrets(settings);
  const add = (value: string) => {
    if (all.values.length < MOST_VALUES && !all.values.includes(value)) all.values.push(value);
  };
  return {
    add,
    addGrant({ token, authorization } = {}) {
      for (const value of [token, authorization]) if (typeof value === 'string') add(value);
    },
    all,
  };
}
