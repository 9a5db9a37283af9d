import { findReason } from '../session/logged-json.ts';
import type { LoggedRequest } from '../session/request-log.ts';

export const LOG_FORMATS = ['text', 'json'] as const;

export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * Returns the line to print for a completed call. Secrets in targets are already redacted.
 *
 * @example
 * 'POST /api/v2/envs/dev/storages:batchDelete 400 2 ms: body.fileList must be an array.'
 */
export function describeCall(call: LoggedRequest, format: LogFormat): string {
  const { method, target } = call.request;
  const { status, ms } = call.response ?? { status: 0, ms: 0 };
  const reason = findReason(call);
  if (format === 'text') {
    return `${method} ${target} ${status} ${Math.round(ms)} ms${reason === undefined ? '' : `: ${reason}`}`;
  }
  const { at, id, surface, operationId, service, faults } = call;
  const time = new Date(at).toISOString();
  const line = { time, id, method, target, status, ms: Math.round(ms), surface, operationId };
  return JSON.stringify({ ...line, service, faults, reason });
}
