import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Deployment as AnyDeployment,
  type Settings as AnySettings,
  deploy as deployOver,
} from '../../../../storage/test/support/client.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { openDiskStore } from '../../../src/store/disk.ts';

export {
  errorOf,
  link,
  put,
} from '../../../../storage/test/support/client.ts';

export interface Deployment extends AnyDeployment {
  /** Folder of the default store. */
  readonly root: string;
  readonly blobs: BlobStore;
}

interface Settings extends AnySettings {
  readonly blobs?: BlobStore;
}

/** A server of the storage API over real files, until the end of the test. */
export async function deploy(settings: Settings = {}): Promise<Deployment> {
  const root = await mkdtemp(join(tmpdir(), 'berth-storage-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const blobs = settings.blobs ?? (await openDiskStore({ root }));
  onTestFinished(() => blobs.close());
  return { ...(await deployOver({ ...settings, blobs })), blobs, root };
}
