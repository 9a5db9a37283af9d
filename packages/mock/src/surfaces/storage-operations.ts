/** The operations of the storage engine. Also runs in browsers: must not import Node modules. */
import type { StorageCall } from '@berth/server-stubs';
import type { StorageOperationId } from '@berth/server-stubs/contract';
import type { StorageApi } from '@berth/storage';

/** If one is missing, this does not compile. */
export const STORAGE_OPERATIONS = Object.keys({
  getUploadMetaData: true,
  batchGetTempUrls: true,
  batchDelete: true,
  batchCopyFile: true,
} satisfies Record<keyof StorageApi['storage'], true>) as readonly StorageOperationId[];

/** Calls an operation of the storage API. All callers are the same to the mock. */
export function callStorage(
  { storage }: StorageApi,
  id: StorageOperationId,
  input: unknown,
  { env, request, requestId, signal }: StorageCall,
): unknown {
  const caller = { env, id: 'mock' };
  const operation = storage[id] as (input: unknown, call: Partial<StorageCall>) => unknown;
  return operation(input, { env, caller, request, requestId, signal });
}
