import type { Drafted, SentRequest } from '../http-messages.ts';
import type { DreddKey } from './protocol.ts';
import { runChild } from './run-child.ts';

export interface DriveOptions {
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** Longest wait for one answer, in milliseconds. */
  timeout: number;
  /** Says what to send for a transaction that Dredd drafted; `undefined` leaves it out. */
  prepare: (key: DreddKey, drafted: Drafted) => Promise<SentRequest | undefined>;
  /** Ends the run. */
  signal: AbortSignal;
  /** Dredd has got the answer. */
  onAnswer: (key: DreddKey) => void;
  /** No answer, or none in time. */
  onError: (key: DreddKey, message: string) => void;
}

/**
 * Lets Dredd drive every transaction of the documents. A call without an end costs its process: it is
 * killed, and another goes on with the rest.
 *
 * @throws StartError where Dredd warns about the document
 */
export async function drive(options: DriveOptions): Promise<void> {
  const dealtWith = new Set<string>();
  let finished = false;
  while (!finished && !options.signal.aborted) {
    const before = dealtWith.size;
    finished = await runChild(options, dealtWith);
    if (!finished && dealtWith.size === before && !options.signal.aborted)
      throw new Error('Dredd ends without a call.');
  }
}
