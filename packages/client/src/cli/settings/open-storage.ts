import { tc3Storage } from '../../auth/tc3.ts';
import { createStorageClient } from '../../create-storage-client.ts';
import type { StorageClient } from '../../storage-client.ts';
import type { CommonOptions } from '../create-program.ts';
import { need, needUrl } from './need.ts';
import { orFailure } from './or-failure.ts';
import { readSettings } from './read-settings.ts';
import { readWireProfile } from './read-wire-profile.ts';

/** The storage client that the settings describe; its warnings are notes. */
export async function openStorage({ config, quiet }: CommonOptions): Promise<StorageClient> {
  const settings = await readSettings(config);
  const { signingService: service, signingHost, sessionToken: token } = settings;
  const pair = {
    secretId: need(settings, 'secretId'),
    secretKey: need(settings, 'secretKey'),
    token,
  };
  const options = {
    baseUrl: needUrl(settings, 'storageUrl'),
    envId: need(settings, 'env'),
    credentials: tc3Storage(pair, { service, signingHost }),
    wireProfile: await readWireProfile(settings.wireProfile),
    onWarning: (text: string) => void (quiet || process.stderr.write(`${text}\n`)),
  };
  return orFailure('storageUrl', () => createStorageClient(options));
}
