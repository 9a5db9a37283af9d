export * from './blob-store.ts';
export { createStorage, type Storage } from './create-storage.ts';
export type { Download, DownloadHeaders, DownloadRequest } from './download.ts';
export { createMemoryStore, type MemoryStore } from './memory-store.ts';
export * from './options.ts';
export { assertFilePath, FilePathError, toFileID, toFilePath } from './paths.ts';
