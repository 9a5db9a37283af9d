import { randomUUID } from 'node:crypto';
import { FILES_PATH } from '@berth/server-stubs/engine';
import type { SurfaceName } from '../contract/surface.ts';
import { isHttp, type ProxyTargets } from '../options.ts';
import { SESSION_PARAMETER } from '../util/session-name.ts';
import { parseJson } from '../util/values.ts';

/** Maximum number of URLs; the oldest are dropped. */
const CAPACITY = 10_000;

/**
 * Query parameter that stands for the real URL. It grants the same access as the real URL, so the log omits
 * parameters with this name.
 */
const PARAMETER = 'sign';

export type KnownAddresses = ReturnType<typeof createKnownAddresses>;

/**
 * Creates the store for issued URLs. D27: an upload is posted to the returned `url` as is, and a signature
 * covers the link as is. The real URL must therefore not change, so the mock stores it and issues a URL of
 * its own instead.
 */
export function createKnownAddresses() {
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
    /**
     * Returns the mock's URL that replaces a real one; returns the given text if it is not a URL.
     *
     * @param origin the origin that the caller used to reach the mock
     */
    toLocal(kind: 'upload' | 'link', real: string, origin: string, session: string): string {
      const url = URL.canParse(real) ? new URL(real) : undefined;
      if (url === undefined || !isHttp(url)) return real;
      const path = kind === 'upload' ? '/' : FILES_PATH + url.pathname;
      const suffix = session === '' ? '' : `&${SESSION_PARAMETER}=${encodeURIComponent(session)}`;
      return `${origin}${path}?${PARAMETER}=${idOf(url)}${suffix}`;
    },
    /** Returns the real URL behind a request target. */
    find(target: string): URL | undefined {
      const mark = target.indexOf('?');
      const id = mark < 0 ? null : new URLSearchParams(target.slice(mark)).get(PARAMETER);
      return id === null ? undefined : urls.get(id);
    },
  };
}

export interface Destination {
  /** `https://dev.example.com:8443` */
  readonly origin: string;
  /** Path and query, bytes as received. */
  readonly path: string;
  /** Whether it is the deployment itself, which may receive the call's credentials. */
  readonly isTrusted: boolean;
}

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the address to which a call must be forwarded.
 *
 * @returns undefined for a URL that the storage API has not issued
 */
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

/** Fields of storage responses that contain a URL, by operation. */
const MEMBERS: Readonly<Record<string, { name: string; kind: 'upload' | 'link' }>> = {
  getUploadMetaData: { name: 'url', kind: 'upload' },
  batchGetTempUrls: { name: 'tempFileURL', kind: 'link' },
};

export function hasAddresses(operationId: string | undefined): boolean {
  return operationId !== undefined && Object.hasOwn(MEMBERS, operationId);
}

/**
 * Replaces the URLs in a storage response and leaves every other byte unchanged.
 *
 * @param toLocal returns the replacement for a URL
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
    const real = parseJson(literal) as string | undefined;
    return real === undefined ? whole : before + JSON.stringify(toLocal(member.kind, real));
  });
  return rewritten === text ? body : Buffer.from(rewritten);
}
