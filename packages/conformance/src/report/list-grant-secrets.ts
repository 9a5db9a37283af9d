import type { Answer } from '../http-messages.ts';
import { parse } from '../judge/check-body.ts';

/** The credentials that an answer grants for an upload: who has them can write until they expire. */
export function listGrantSecrets({ answer }: { answer?: Answer }): string[] {
  const parsed = parse(answer?.body ?? '') as Grant | null | undefined;
  const { token, authorization } = parsed?.body?.data ?? {};
  return [token, authorization].filter((value): value is string => typeof value === 'string');
}

interface Grant {
  body?: { data?: { token?: string; authorization?: string } | null };
}
