import { inspect } from 'node:util';

/** Returns everything that a log could show of a value. */
export const shown = (value: unknown): string =>
  [
    inspect(value, { depth: 10, showHidden: true, getters: true }),
    String(value),
    (value as Error | undefined)?.stack,
    JSON.stringify(value),
  ].join('\n');
