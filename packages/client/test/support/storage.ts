import { createStorageClient, type StorageClientOptions } from '@berth/client';
import { fakeFetch } from './fake-fetch.ts';

/** Credentials whose values must not appear in errors. */
export const credentials = {
  authorization: '1.0 TC3-HMAC-SHA256 Credential=id, Signature=5ec4e7',
  sessionToken: 'session-5ec4e7',
  timestamp: 1_700_000_000,
};

/** Creates a client for the storage of a server in a test. */
export function storageAt(baseUrl: string, options: Partial<StorageClientOptions> = {}) {
  const any = { authorization: '1.0 any', timestamp: 1_700_000_000 };
  return createStorageClient({ baseUrl, envId: 'dev', credentials: any, ...options });
}

/** Upload metadata whose grant must not appear in errors. */
export const meta = {
  url: 'https://upload.example/bucket?sign=5ec4e7-in-url',
  token: 'token-5ec4e7',
  authorization: 'q-sign-algorithm=sha256&q-signature=5ec4e7',
  fileID: 'cloud://dev.files/a.txt',
  storeFileID: 'store-1',
};

/** Creates a storage client with prepared responses, and records its requests and warnings. */
export function storageWith(
  responses: (Response | Error)[],
  options: Partial<StorageClientOptions> = {},
) {
  const { fetch, requests } = fakeFetch(...responses);
  const warnings: string[] = [];
  const storage = createStorageClient({
    baseUrl: 'https://storage.example',
    envId: 'dev',
    credentials,
    fetch,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return { storage, requests, warnings };
}
