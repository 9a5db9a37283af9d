import { LIMITS } from '@berth/server-stubs/contract';
import { createGrants } from './grants.ts';
import { createLinks } from './links.ts';
import { type StorageLimits, type StorageOptions, UPLOAD_PATH } from './options.ts';

export type StorageContext = Readonly<ReturnType<typeof toContext>>;

export function toContext(options: StorageOptions) {
  const { blobs, signer, bucketOf, publicUrl, now = () => Date.now() } = options;
  const {
    grantSeconds = LIMITS.grantSeconds,
    linkMaxSeconds = LIMITS.linkMaxSeconds,
    linkSeconds = Math.min(LIMITS.linkSeconds, linkMaxSeconds),
  } = options.limits ?? {};
  const limits = { grantSeconds, linkMaxSeconds, linkSeconds } satisfies StorageLimits;
  for (const [name, seconds] of Object.entries(limits)) {
    if (Number.isInteger(seconds) && seconds > 0) continue;
    throw new TypeError(`limits.${name} must be a positive integer, got ${seconds}.`);
  }
  if (linkSeconds > linkMaxSeconds) {
    throw new TypeError('limits.linkSeconds must not exceed limits.linkMaxSeconds.');
  }
  return {
    blobs,
    bucketOf,
    authorizeUse: options.authorizeUse,
    grants: createGrants(signer, now),
    links: createLinks(signer, now, options.linkQuery),
    limits,
    uploadTarget: options.uploadTarget ?? UPLOAD_PATH,
    inline: options.inline ?? false,
    publicUrl: typeof publicUrl === 'string' ? () => publicUrl : publicUrl,
    onChange: options.onChange ?? (() => undefined),
    onError: options.onError,
  };
}
