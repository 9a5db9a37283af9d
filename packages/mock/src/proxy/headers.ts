import { FAULT_HEADER } from '../faults/do-faults.ts';
import { SESSION_HEADER } from '../util/session-name.ts';

/** Headers as received: a list of alternating names and values. */
export type RawHeaders = readonly string[];

/** Headers that apply to a single connection (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Headers that are meant for the mock, or set again for the connection to the deployment. */
const OWN = [SESSION_HEADER.toLowerCase(), FAULT_HEADER.toLowerCase(), 'host', 'expect'];

export function toForwarded(raw: RawHeaders, without: readonly string[] = []): string[] {
  return removeHeaders(raw, [...HOP_BY_HOP, ...OWN, ...without]);
}

export function toReturned(raw: RawHeaders, without: readonly string[] = []): string[] {
  return removeHeaders(raw, [...HOP_BY_HOP, ...without]);
}

/** @param names in lower case; those listed in `Connection` are removed as well */
function removeHeaders(raw: RawHeaders, names: readonly string[]): string[] {
  const removed = new Set(names);
  const named = listHeader(raw, 'connection').flatMap((value) => value.split(','));
  for (const name of named) removed.add(name.trim().toLowerCase());
  return raw.filter((_, at) => !removed.has((raw[at - (at % 2)] as string).toLowerCase()));
}

/** Returns all values of a header. @param name in lower case */
export function listHeader(raw: RawHeaders, name: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** Returns a header's values, joined, or `undefined` if the header is missing. */
export function findHeader(raw: RawHeaders, name: string): string | undefined {
  const values = listHeader(raw, name);
  return values.length === 0 ? undefined : values.join(', ');
}
