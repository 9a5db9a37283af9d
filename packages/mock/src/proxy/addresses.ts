import { randomUUID } from 'node:crypto';
import { FILES_PATH } from '@berth/server-stubs/engine';
import type { SurfaceName } from '../contract/surface.ts';
import { isHttp, type ProxyTargets } from '../options.ts';
import { SESSION_PARAMETER } from '../util/session-name.ts';

/** Addresses that are kept; the oldest are forgotten. */
const CAPACITY = 10_000;

/**
 * Query parameter that stands for the real address. Who knows it can do what the real one allows; the
 * log leaves out parameters of this name.
 */
const PARAMETER = 'sign';

/** The addresses that a deployment has handed out, each behind one of the mock. */
export interface KnownAddresses {
  /**
   * An address of the mock that leads to a real one; the given text where it is no address.
   *
   * @param origin under which the caller reaches the mock
   */
  toLocal(kind: 'upload' | 'link', real: string, origin: string, session: string): string;
  /** The real address behind the target of a request. */
  find(target: string): URL | undefined;
}

/**
 * D27: an upload is posted to the returned `url` as it is, and a signature covers a link as it is. So
 * nothing of a real address is changed: the mock remembers it, and hands out a name for it.
 */
export function createKnownAddresses(): KnownAddresses {
  const ids = new Map<string, string>();
  const urls = new Map<string, URL>();

  function idOf(url: URL): string {
    const known = ids.get(url.href);
    if (known !== undefined) return known;
    const id = randomUUID();
    ids.set(url.href, id);
    urls.set(id, url);
    const [oldest] = urls;
    if (urls.size > CAPACITY && oldest !== undefined) {
      const [oldId, { href }] = oldest;
      urls.delete(oldId);
      ids.delete(href);
    }
    return id;
  }

  return {
    toLocal(kind, real, origin, session) {
      const url = URL.canParse(real) ? new URL(real) : undefined;
      if (url === undefined || !isHttp(url)) return real;
      const path = kind === 'upload' ? '/' : FILES_PATH + url.pathname;
      const suffix = session === '' ? '' : `&${SESSION_PARAMETER}=${encodeURIComponent(session)}`;
      return `${origin}${path}?${PARAMETER}=${idOf(url)}${suffix}`;
    },
    find(target) {
      const mark = target.indexOf('?');
      const id = mark < 0 ? null : new URLSearchParams(target.slice(mark)).get(PARAMETER);
      return id === null ? undefined : urls.get(id);
    },
  };
}

export interface Destination {
  /** `https://dev.example.com:8443` */
  readonly origin: string;
  /** Path and query, bytes as they came. */
  readonly path: string;
  /** Whether it is the deployment itself, for which the credentials of a call are meant. */
  readonly isTrusted: boolean;
}

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** @returns undefined for an address that storage has not handed out */
export function findDestination(
  surface: SurfaceName,
  target: string,
  targets: ProxyTargets,
  addresses: KnownAddresses,
): Destination | undefined {
  if (surface === 'gateway' || surface === 'storage') {
    const { origin, pathname } = new URL(targets[surface]);
    const path = target.replace(AUTHORITY, '') || '/';
    const from = path.startsWith('/') ? path : `/${path}`;
    return { origin, path: pathname.replace(/\/$/, '') + from, isTrusted: true };
  }
  const url = addresses.find(target);
  if (url === undefined) return undefined;
  const known = Object.values(targets).map((base) => new URL(base).origin);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    isTrusted: known.includes(url.origin),
  };
}

/** Members of storage answers that hold an address to follow, by operation. */
const MEMBERS: Readonly<Record<string, { name: string; kind: 'upload' | 'link' }>> = {
  getUploadMetaData: { name: 'url', kind: 'upload' },
  batchGetTempUrls: { name: 'tempFileURL', kind: 'link' },
};

export function hasAddresses(operationId: string | undefined): boolean {
  return operationId !== undefined && Object.hasOwn(MEMBERS, operationId);
}

/**
 * Puts other addresses into the answer of a storage operation; every other byte stays.
 *
 * @param toLocal the address for a real one
 */
export function rewriteAddresses(
  operationId: string,
  body: Buffer,
  toLocal: (kind: 'upload' | 'link', real: string) => string,
): Buffer {
  const member = MEMBERS[operationId];
  if (member === undefined) return body;
  const pattern = new RegExp(`("${member.name}"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)+")`, 'g');
  const text = body.toString();
  const rewritten = text.replace(pattern, (whole, before: string, literal: string) => {
    const real = parse(literal);
    return real === undefined ? whole : before + JSON.stringify(toLocal(member.kind, real));
  });
  return rewritten === text ? body : Buffer.from(rewritten);
}

function parse(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
