import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createStorageClient, tc3Storage, unwrapEnvelope } from '@berth/client';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { compare, type Suite } from '../compare.ts';
import {
  downloadByCurl,
  makeTemporaryFolder,
  startServer,
  stop,
  uploadByCurl,
  writeLargeFile,
} from '../processes.ts';

const PATH = 'a/file.bin';
const FILE_ID = `cloud://dev.files/${PATH}`;
const PAIR = { secretId: 'bench', secretKey: 'secret of the key pair of the bench' };

/** Large enough that connection setup and response hardly matter. */
const MEBIBYTES = 256;

const UPLOAD = {
  suite: 'files',
  measure: `upload of ${MEBIBYTES} MiB, MiB/s`,
  peerName: 'busboy to disk with fsync',
  goal: '>= 0.8',
} as const;
const DOWNLOAD = {
  suite: 'files',
  measure: `download of ${MEBIBYTES} MiB, MiB/s`,
  peerName: 'createReadStream().pipe()',
  goal: '>= 0.9',
} as const;

/**
 * A server that stores and serves one file; both calls return seconds. Each upload is to a new path: a replaced file
 * is kept until the upload ends, so the system needs memory for both, and fresh memory is ten times as expensive as
 * reused memory on a virtual machine.
 */
type Side = { upload(): Promise<number>; download(): Promise<number> };

/**
 * Compares uploads and downloads by curl of a file on the same disk. Neither server is pinned to a core, because Node
 * reads and writes files in other threads. Ours also computes and verifies checksums.
 */
export const filesSuite: Suite = {
  name: 'files',
  description: 'Server uploads and downloads against bare busboy and a bare read stream',
  run: async (runs) => {
    const root = makeTemporaryFolder('files');
    const file = join(root, 'file.bin');
    await writeLargeFile(file, MEBIBYTES);
    const our = await startServer('ours', [join(root, 'ours'), '', ...Object.values(PAIR)]);
    const their = await startServer('minimal', ['files-peer', root]);
    const [ours, peer] = [toSide(our.url, file), toPeer(their.url, root, file)];
    const rate = (call: () => Promise<number>) => async () => MEBIBYTES / (await call());
    const rows = [
      await compare(UPLOAD, runs, rate(ours.upload), rate(peer.upload)),
      await compare(DOWNLOAD, runs, rate(ours.download), rate(peer.download)),
    ];
    await stop(our.child, their.child);
    return rows;
  },
};

function toSide(baseUrl: string, file: string): Side {
  const client = createStorageClient({ baseUrl, envId: 'dev', credentials: tc3Storage(PAIR) });
  return {
    async upload() {
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
    },
    download: async () => downloadByCurl(await client.tempUrl(FILE_ID)),
  };
}

function toPeer(url: string, root: string, file: string): Side {
  return {
    async upload() {
      await rm(join(root, 'file'), { force: true });
      return uploadByCurl(url, { key: PATH }, file);
    },
    download: () => downloadByCurl(url),
  };
}
