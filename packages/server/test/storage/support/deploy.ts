import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { onTestFinished } from 'vitest';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../../src/blobs/file/create-file-blob-store.ts';
import { createStorage } from '../../../src/storage/create-storage.ts';
import type { FileChange, StorageOptions } from '../../../src/storage/storage-context.ts';

export type Settings = Partial<StorageOptions> & {
  /** Largest file that is taken. */
  readonly fileBytes?: number;
};

export interface Deployment {
  readonly base: string;
  readonly root: string;
  readonly blobs: BlobStore;
  readonly keys: readonly Buffer[];
  /** Milliseconds since the epoch; to be moved by a test. */
  readonly clock: { now: number };
  readonly changes: FileChange[];
  readonly errors: unknown[];
  /** Emits `upload` when a form has begun to come. */
  readonly arrivals: EventEmitter;
}

const BUCKETS: Readonly<Record<string, string>> = { dev: 'files', other: 'files' };

/** A server of the storage API over real files, until the test is over. */
export async function deploy(settings: Settings = {}): Promise<Deployment> {
  const root = await mkdtemp(join(tmpdir(), 'berth-storage-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const clock = { now: Date.parse('2026-11-20T10:00:00.500Z') };
  const changes: FileChange[] = [];
  const errors: unknown[] = [];
  const arrivals = new EventEmitter();
  const blobs = settings.blobs ?? (await createFileBlobStore({ root }));
  const keys = settings.keys ?? [randomBytes(32)];
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { storage, upload, files } = createStorage({
    bucketOf: (env) => (Object.hasOwn(BUCKETS, env) ? BUCKETS[env] : undefined),
    publicUrl: base,
    now: () => clock.now,
    onChange: (change) => changes.push(change),
    onError: (error) => errors.push(error),
    ...settings,
    blobs,
    keys,
  });
  const onError = (error: unknown) => {
    errors.push(error);
  };
  const wireProfile = settings.wireProfile && { wireProfile: settings.wireProfile };
  const storageRouter = createStorageRouter(storage, {
    // Whoever names an environment is let in: who may call is tested elsewhere.
    security: { credentials: ({ authorization }) => ({ env: authorization, id: 'tester' }) },
    onError,
    ...wireProfile,
  });
  const uploadRouter = createUploadRouter(upload, {
    onError,
    ...wireProfile,
    ...(settings.fileBytes !== undefined && { fileBytes: settings.fileBytes }),
  });
  server.on('request', (request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/api/v2/')) return storageRouter(request, response);
    if (url.startsWith('/files/')) return files(request, response);
    request.url = url.replace(/^\/upload/, '') || '/';
    request.once('data', () => arrivals.emit('upload'));
    request.pause();
    uploadRouter(request, response);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await blobs.close();
  });
  return { base, root, blobs, keys, clock, changes, errors, arrivals };
}
