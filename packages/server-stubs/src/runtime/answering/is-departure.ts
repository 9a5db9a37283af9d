import type { Call } from '../call.ts';

/** How streams and signals tell that the other side has gone. */
const NAMES = new Set(['AbortError', 'ABORT_ERR', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether an error only says that the client went away: then nobody waits for an answer. */
export function isDeparture(error: unknown, { request, response }: Call): boolean {
  const isGone = response.destroyed || (request.destroyed && !request.complete);
  if (!isGone || !(error instanceof Error)) return false;
  return NAMES.has(error.name) || NAMES.has((error as NodeJS.ErrnoException).code ?? '');
}
