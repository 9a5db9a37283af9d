import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createStorageClient, tc3Storage, unwrapEnvelope } from '@berth/client';
import { defaultWireProfile } from '@berth/spec/wire-profile';

import { compare, type Figure, type Suite } from '../compare.ts';
import {
  downloadByCurl,
  makeTemporaryFolder,
  startServer,
  stopProcess,
  uploadByCurl,
  writeLargeFile,
} from '../processes.ts';

const SUITE = 'files';
const PATH = 'a/file.bin';
const FILE_ID = `cloud://dev.files/${PATH}`;

/** Large enough that connection setup and response hardly matter. */
const MEBIBYTES = 256;

const UPLOAD: Figure = {
  suite: SUITE,
  measure: `upload of ${MEBIBYTES} MiB, MiB/s`,
  peerName: 'busboy to disk with fsync',
  goal: '>= 0.8',
};

const DOWNLOAD: Figure = {
  suite: SUITE,
  measure: `download of ${MEBIBYTES} MiB, MiB/s`,
  peerName: 'createReadStream().pipe()',
  goal: '>= 0.9',
};

/** A server that stores and serves one file; both calls return MiB per second. */
interface Side {
  /**
   * Uploads to a new path: a replaced file is kept until the upload ends, so the system needs memory for
   * both, and fresh memory is ten times as expensive as reused memory on a virtual machine.
   */
  upload(): Promise<number>;
  download(): Promise<number>;
}

/**
 * Compares uploads and downloads by curl of a file on the same disk. Neither server is pinned to a core: ours
 * hashes in a separate thread, and the peer does not hash.
 */
export const filesSuite: Suite = {
  name: SUITE,
  description: 'Server uploads and downloads against bare busboy and a bare read stream',
  run: async (runs) => {
    const root = makeTemporaryFolder('files');
    const file = join(root, 'file.bin');
    await writeLargeFile(file, MEBIBYTES);
    const pair = { secretId: 'bench', secretKey: 'secret of the key pair of the bench' };
    const our = await startServer('ours', [join(root, 'ours'), '', ...Object.values(pair)]);
    const their = await startServer('minimal', ['files-peer', root]);
    const ours = toSide(our.url, pair, file);
    const peer = toPeer(their.url, root, file);
    try {
      return [
        await compare(UPLOAD, runs, ours.upload, peer.upload),
        await compare(DOWNLOAD, runs, ours.download, peer.download),
      ];
    } finally {
      await Promise.all([our.child, their.child].map(stopProcess));
      await rm(root, { recursive: true, force: true });
    }
  },
};

function toSide(
  baseUrl: string,
  pair: { secretId: string; secretKey: string },
  file: string,
): Side {
  const client = createStorageClient({ baseUrl, envId: 'dev', credentials: tc3Storage(pair) });
  return {
    async upload() {
      await client.delete([FILE_ID]);
      const meta = unwrapEnvelope(
        await client.POST('/api/v2/envs/{envId}/storages:getUploadMetaData', {
          body: { path: PATH },
        }),
      );
      const { securityToken, metaFileId } = defaultWireProfile.uploadFields;
      const fields = {
        key: PATH,
        Signature: meta.authorization,
        [securityToken]: meta.token,
        [metaFileId]: meta.storeFileID,
      };
      return MEBIBYTES / (await uploadByCurl(meta.url, fields, file));
    },
    download: async () => MEBIBYTES / (await downloadByCurl(await client.tempUrl(FILE_ID))),
  };
}

function toPeer(url: string, root: string, file: string): Side {
  return {
    async upload() {
      await rm(join(root, 'file'), { force: true });
      return MEBIBYTES / (await uploadByCurl(url, { key: PATH }, file));
    },
    download: async () => MEBIBYTES / (await downloadByCurl(url)),
  };
}
