import type { Verdict } from './pipeline/pipeline-call.ts';

/**
 * What a failed answer of the storage API or of a link allows, by its status alone: 429 was not
 * executed, 401 neither, and a status of the server may pass (RFC 9110, section 15.6). 501 and what
 * follows 504 does not.
 */
export function judgeStatus({ status }: Response): Verdict {
  if (status === 429) return 'any';
  if (status === 401) return 'unauthorized';
  return [500, 502, 503, 504].includes(status) ? 'idempotent' : 'never';
}
