import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createStorageClient, tc3Storage, unwrapEnvelope } from '@berth/client';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { compare, type Figure, type Suite } from '../compare.ts';
import {
  makeLargeFile,
  makeTemporaryFolder,
  startServer,
  stop,
  timeCurl,
  uploadByCurl,
} from '../processes.ts';

const PATH = 'a/file.bin';
const FILE_ID = `cloud://dev.files/${PATH}`;
const PAIR = { secretId: 'bench', secretKey: 'secret of the key pair of the bench' };

/** Large enough that connection setup and response hardly matter. */
const MEBIBYTES = 256;

const UPLOAD: Figure = {
  measure: `upload of ${MEBIBYTES} MiB, MiB/s`,
  peerName: 'busboy to disk with fsync',
  goal: '>= 0.8',
};
const DOWNLOAD: Figure = {
  measure: `download of ${MEBIBYTES} MiB, MiB/s`,
  peerName: 'createReadStream().pipe()',
  goal: '>= 0.9',
};

/**
 * Compares uploads and downloads by curl of a file on the same disk. Neither server is pinned to a core: ours
 * hashes in a separate thread, and the peer does not hash. Each upload is to a new path: a replaced file is kept
 * until the upload ends, so the system needs memory for both, and fresh memory is ten times as expensive as reused
 * memory on a virtual machine.
 */
export const filesSuite: Suite = {
  name: 'files',
  description: 'Server uploads and downloads against bare busboy and a bare read stream',
  run: async (runs) => {
    const file = makeLargeFile(MEBIBYTES);
    const folder = makeTemporaryFolder();
    const ours = await startServer('ours', [makeTemporaryFolder(), '', ...Object.values(PAIR)]);
    const peer = await startServer('minimal', ['files-peer', folder]);
    const client = createStorageClient({
      baseUrl: ours.url,
      envId: 'dev',
      credentials: tc3Storage(PAIR),
    });
    const rate = (call: () => Promise<number>) => async () => MEBIBYTES / (await call());
    const rows = [
      await compare(
        UPLOAD,
        runs,
        rate(async () => {
          await client.delete([FILE_ID]);
          const { url, ...grant } = unwrapEnvelope(
            await client.POST('/api/v2/envs/{envId}/storages:getUploadMetaData', {
              body: { path: PATH },
            }),
          );
          const { securityToken, metaFileId } = defaultWireProfile.uploadFields;
          const fields = {
            key: PATH,
            Signature: grant.authorization,
            [securityToken]: grant.token,
            [metaFileId]: grant.storeFileID,
          };
          return uploadByCurl(url, fields, file);
        }),
        rate(async () => {
          await rm(join(folder, 'file'), { force: true });
          return uploadByCurl(peer.url, { key: PATH }, file);
        }),
      ),
      await compare(
        DOWNLOAD,
        runs,
        rate(async () => timeCurl(await client.tempUrl(FILE_ID))),
        rate(() => timeCurl(peer.url)),
      ),
    ];
    await stop(ours.child, peer.child);
    return rows;
  },
};
