import type { Answer } from './http/answer.ts';
import type { Call } from './http/call.ts';
import type { SurfaceName } from './http/cors.ts';
import type { Refusal } from './refusal.ts';

/** One of the four kinds of address that share the port. Each has the same shape. */
export interface Surface {
  name: SurfaceName;
  /** Codes of errors that every surface has, in its own vocabulary. */
  codes: {
    tooLarge: string;
    failed: string;
    /** A request that Node could not read to its end. */
    broken: string;
    /** A request that took too long; where the surface has no such code, `broken` and status 408. */
    timedOut?: string;
  };
  /**
   * Answers a call; every method but OPTIONS comes here.
   *
   * @throws Refusal with a code of the surface's error table
   */
  answer(call: Call): Promise<Answer>;
  /** The surface's error shape. */
  refuse(refusal: Refusal, call: Call): Answer;
  /** Headers that depend on the finished answer. */
  headers?(answer: Answer, call: Call): Record<string, string>;
}
