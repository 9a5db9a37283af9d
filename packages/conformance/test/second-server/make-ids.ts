import { randomBytes } from 'node:crypto';

/** Request ids that are no UUIDs: `2nd-0`, `2nd-1`, … `2nd-z`, `2nd-10`, … */
export function makeRequestIds(): () => string {
  let count = 0;
  return () => `2nd-${(count++).toString(36)}`;
}

/** An id that says nothing: `makeOpaque('f_')` is like `f_9c41e07ab2d85f63`. */
export function makeOpaque(prefix: string): string {
  return prefix + randomBytes(8).toString('hex');
}
