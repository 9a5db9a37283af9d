import type { IncomingMessage, ServerResponse } from 'node:http';
import { type StorageCall, StorageError, type WireProfile } from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Grants } from './signing/grants.ts';
import type { Links } from './signing/links.ts';
import type { FileChange, StorageLimits } from './storage-options.ts';

/** What the operations of one server share. */
export interface StorageContext {
  readonly blobs: BlobStore;
  readonly grants: Grants;
  readonly links: Links;
  readonly limits: StorageLimits;
  readonly wireProfile: WireProfile;
  readonly redirectLinks: boolean;
  readonly now: () => number;
  bucketOf(env: string): string | undefined;
  publicUrl(request: IncomingMessage): string;
  onChange(change: FileChange): void;
  onRefusal(code: string, response: ServerResponse): void;
  onError(error: unknown, requestId: string): void;
}

/**
 * The environment of a call, and its bucket.
 *
 * D30: "storage calls … for another environment are refused".
 *
 * @throws StorageError INVALID_ENV, STORAGE_EXCEED_AUTHORITY
 */
export function toScope(
  { envId: env, caller }: Pick<StorageCall<Caller>, 'envId' | 'caller'>,
  { bucketOf }: StorageContext,
): { readonly env: string; readonly bucket: string } {
  if (caller.env !== env) throw new StorageError('STORAGE_EXCEED_AUTHORITY');
  const bucket = bucketOf(env);
  if (bucket !== undefined) return { env, bucket };
  throw new StorageError('INVALID_ENV', { message: `There is no environment ${env}.` });
}
