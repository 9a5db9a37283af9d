import type { Call } from './call.ts';
import type { Answer } from './route-table.ts';

/**
 * Name of the method by which an error answers for itself: `error[toAnswer](call)`. An error without
 * it, thrown by a handler, is answered with a fixed text and status 500.
 */
export const toAnswer: unique symbol = Symbol.for('@berth/server-stubs/toAnswer');

/** An error that knows its answer. */
export interface Answerable {
  [toAnswer](call: Call): Answer;
}

export function isAnswerable(error: unknown): error is Answerable {
  return (
    typeof error === 'object' &&
    error !== null &&
    typeof (error as Partial<Answerable>)[toAnswer] === 'function'
  );
}
