import type { BlobStore } from '../blobs/blob-store.ts';

const METHODS = ['write', 'stat', 'open', 'copy', 'delete', 'sweep', 'check'] as const;

/** A store that tells which of its operations it could not do. */
export function observeStore(store: BlobStore, onFailure: (method: string) => void): BlobStore {
  const observed: Record<string, unknown> = { close: () => store.close() };
  for (const method of METHODS) {
    const call = store[method].bind(store) as (...args: unknown[]) => Promise<unknown>;
    observed[method] = (...args: unknown[]) =>
      call(...args).catch((error: unknown) => {
        if ((error as Error | undefined)?.name === 'StoreUnavailableError') onFailure(method);
        throw error;
      });
  }
  if (store.presign !== undefined) observed.presign = store.presign.bind(store);
  return observed as unknown as BlobStore;
}
