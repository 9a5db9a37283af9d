export * from './blob-store.ts';
export {
  type FileChange,
  type SignedUse,
  type StorageCaller,
  type StorageLimits,
  type StorageOptions,
  UPLOAD_PATH,
} from './context.ts';
export { createStorage, type Storage } from './create-storage.ts';
export type { Download, DownloadHeaders, DownloadRequest } from './download.ts';
export { FILES_PATH, type Signer } from './grants.ts';
export { createMemoryStore, type MemoryStore } from './memory-store.ts';
export { assertFilePath, FilePathError, toFileID, toFilePath } from './paths.ts';
