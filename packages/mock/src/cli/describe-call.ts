import type { LoggedRequest } from '../session/request-log.ts';
import { parseJson } from '../util/values.ts';

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
    return `${method} ${target} ${status} ${Math.round(ms)} ms${reason && `: ${reason}`}`;
  }
  const { at, id, surface, operationId, service, faults } = call;
  const time = new Date(at).toISOString();
  const line = { time, id, method, target, status, ms: Math.round(ms), surface, operationId };
  return JSON.stringify({ ...line, service, faults, reason: reason || undefined });
}

/** Returns why the mock refused a call: what breaks the contract, or the code and message of the error. */
function findReason({ violations, response }: LoggedRequest): string {
  if (response === undefined || response.status < 400) return '';
  if (violations.length > 0) return violations.map(({ message }) => message).join(' ');
  const text = Buffer.from(response.body ?? []).toString();
  return ['code', 'message']
    .map((name) => findText(text, name))
    .filter((part) => part !== undefined)
    .join(': ');
}

/** Returns the text of a field, in JSON or XML, of which only the beginning may be known. */
function findText(body: string, name: string): string | undefined {
  const json = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(body)?.[1];
  if (json === undefined) return new RegExp(`<${name}>([^<]*)<`, 'i').exec(body)?.[1];
  return parseJson(json) as string | undefined;
}
