import type { MutatedAnswer } from '../../proxy/messages.ts';

/** The media type of an answer without parameters, in lower case. */
export function mediaTypeOf({ headers }: MutatedAnswer): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
