import { createHash } from 'node:crypto';
import { isObject } from '../is-object.ts';
import { withoutBoundary } from './without-boundary.ts';

export interface KeyParts {
  readonly method: string;
  /** Without secrets. */
  readonly target: string;
  readonly contentType: string | undefined;
  /** Without secrets. */
  readonly body: Buffer;
}

/** Two requests with the same key are the same: method, path, query and body. */
export function toKey({ method, target, contentType, body }: KeyParts): string {
  const content = toJson(body, contentType) ?? withoutBoundary(body, contentType);
  return `${method} ${toPlain(target)} ${createHash('sha256').update(content).digest('hex')}`;
}

/** A JSON body with the members of its objects in order; undefined for any other. */
function toJson(body: Buffer, contentType: string | undefined): string | undefined {
  if (body.length === 0 || !/\bjson\b/i.test(contentType ?? '')) return undefined;
  try {
    return JSON.stringify(JSON.parse(body.toString()), sortMembers);
  } catch {
    return undefined;
  }
}

function sortMembers(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The session that the mock puts behind a signature is no part of what was asked for. */
function toPlain(target: string): string {
  return target
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/([?&]sign=[^&]*)&session=[^&]*$/, '$1');
}
