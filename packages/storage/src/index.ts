export * from './blob-store.ts';
export { createStorage, type StorageApi } from './create-storage.ts';
export type { Download, DownloadHeaders, DownloadRequest } from './download.ts';
export { parseLink } from './links.ts';
export { createMemoryStore, type MemoryStore } from './memory-store.ts';
export * from './options.ts';
export { assertFilePath, parseFilePath, toFileID } from './paths.ts';
export type { FormUpload, UploadFile } from './upload.ts';
