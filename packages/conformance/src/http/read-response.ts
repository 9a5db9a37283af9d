import type { WireProfile } from '@berth/spec/wire-profile';
import { type Exchange, isWebUrl, type Received } from './exchange.ts';

/** Whether a response is the gateway's own error: with `requestId` in the body equal to `X-Request-Id` (D10). */
export function isGatewayError({ status, fields, header }: Received): boolean {
  const id = header('x-request-id');
  if (status < 400 || id === undefined) return false;
  const { code, message, requestId } = fields;
  return code !== undefined && message !== undefined && requestId === id;
}

export function codeOf({ fields: { code } }: Received): string | undefined {
  return typeof code === 'string' ? code : undefined;
}

/** Whether a body looks like the gateway's error: an object with `code`, `message` or `requestId`. */
export function hasErrorBody({ fields }: Received): boolean {
  const { code, message, requestId } = fields;
  return [code, message, requestId].some((value) => value !== undefined);
}

/** The response to a storage call and the content of its envelope, which has not been validated. */
export type StorageReply = ReturnType<typeof readReply>;

export type Entry = Record<string, unknown>;

export function readReply(exchange: Exchange, form: WireProfile['envelope']) {
  const envelope = toObject(exchange.received.json);
  // The object with `requestId`, `data` and `code`.
  const payload = form === 'flat' ? envelope : toObject(envelope?.body);
  const data = toObject(payload?.data);
  const code = typeof payload?.code === 'string' ? payload.code : undefined;
  const { fileList } = data ?? {};
  const entries: Entry[] | undefined = Array.isArray(fileList) ? fileList.map(Object) : undefined;
  const { status } = exchange.received;
  // A `code` without `data` is a rejection, whatever the status (D30).
  const rejected = status < 200 || status > 299 || (code !== undefined && data === undefined);
  return { ...exchange, envelope, payload, data, entries, code, rejected };
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** Returns the entry for a file in a list response, wherever it is in the list. */
export const entryOf = (entries: readonly Entry[], id: string | undefined): Entry | undefined =>
  entries.find(({ fileID }) => fileID === id);

export const isSuccess = ({ code }: Entry): boolean => code === 'SUCCESS';

export function linkOf({ code, tempFileURL }: Entry = {}): string | undefined {
  return code === 'SUCCESS' && isWebUrl(tempFileURL) ? tempFileURL : undefined;
}

/** Whether an entry in a copy response reports a failure. `ST-RESPONSE` checks how. */
export function hasFailed({ code, message }: Entry): boolean {
  if (code === 'SUCCESS') return false;
  return [code, message].some((value) => value !== undefined && value !== null && value !== '');
}

/** Whether a text is XML with a complete `Error` element, at any depth, with or without a namespace prefix. */
export function hasErrorElement(text: string): boolean {
  if (!/^\uFEFF?\s*</.test(text) || /<html[\s>]/i.test(text)) return false;
  const open = new Set<string>();
  // In linear time: a target may send megabytes of tags.
  for (const [, end, name = '', empty] of text.matchAll(ERROR_TAG)) {
    if (empty || (end && open.has(name))) return true;
    if (!end) open.add(name);
  }
  return false;
}

const ERROR_TAG = /<(\/?)((?:[\w.-]+:)?Error)(?:\s[^<>]*?)?(\/?)>/g;
