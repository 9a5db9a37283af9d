import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createStorageClient, unwrapEnvelope } from '@berth/client';
import { freePort } from '@berth/runtimes/free-port';
import { defaultWireProfile } from '@berth/server-stubs';
import { compare, toBoundRow } from '../compare.ts';
import { makeTemporaryFolder } from '../make-temporary-folder.ts';
import type { Figure, Row, Suite } from '../row.ts';
import { signStorageCall } from '../sign-storage-call.ts';
import { startProcess, stopProcess } from '../start-process.ts';
import { downloadFile, uploadFile } from '../transfer-file.ts';
import { waitForPort } from '../wait-for-port.ts';

const SUITE = 'files';
const PATH = 'a/file.bin';
const FILE_ID = `cloud://dev.files/${PATH}`;
/** Large enough that what comes before and after the bytes counts for little. */
const MEBIBYTES = 256;
/** The largest upload there is (D27). */
const LARGE_MEBIBYTES = 5120;
/** In bytes of the decimal megabyte. */
const MOST_RSS = 200e6;

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
const MEMORY: Figure = {
  suite: SUITE,
  measure: `peak RSS of ${LARGE_MEBIBYTES} MiB up and down, MB`,
  peerName: 'bound of 200 MB',
  goal: '<= 1',
};

/** A server that takes and gives one file. */
interface Side {
  readonly child: ChildProcess;
  /**
   * To a place where no file is: a file that is replaced is there until its end, and the system has to find memory for
   * both, which on a virtual machine costs ten times what memory costs that was in use a moment ago.
   */
  upload(mebibytes: number): Promise<number>;
  download(): Promise<number>;
}

/**
 * Files by HTTP on one disk. Neither server is bound to a core: ours hashes in a thread of its own, which
 * the peer does not do at all. Peak memory is that of our process when one file of 5 GiB has come and gone.
 */
export const filesSuite: Suite = {
  name: SUITE,
  description: 'Uploads and downloads of the server against a bare busboy and a bare read stream',
  figures: [UPLOAD, DOWNLOAD, MEMORY],
  run: async (runs) => {
    const root = makeTemporaryFolder('files');
    const ours = await startOurs(root);
    const peer = await startPeer(root);
    try {
      const upload = await compare(
        UPLOAD,
        runs,
        () => ours.upload(MEBIBYTES),
        () => peer.upload(MEBIBYTES),
      );
      const download = await compare(
        DOWNLOAD,
        runs,
        () => ours.download(),
        () => peer.download(),
      );
      return [upload, download, ...(await measureMemory(ours))];
    } finally {
      await Promise.all([stopProcess(ours.child), stopProcess(peer.child)]);
      await rm(root, { recursive: true, force: true });
    }
  },
};

async function startOurs(root: string): Promise<Side> {
  const { child, base } = await start('files-ours', join(root, 'ours'));
  const client = createStorageClient({ baseUrl: base, envId: 'dev', credentials: signStorageCall });
  return {
    child,
    async upload(mebibytes) {
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
      return uploadFile(meta.url, fields, mebibytes);
    },
    download: async () => downloadFile(await client.tempUrl(FILE_ID)),
  };
}

async function startPeer(root: string): Promise<Side> {
  const { child, base } = await start('files-peer', root);
  return {
    child,
    async upload(mebibytes) {
      await rm(join(root, 'file'), { force: true });
      return uploadFile(base, { key: PATH }, mebibytes);
    },
    download: () => downloadFile(base),
  };
}

async function start(server: string, root: string) {
  const port = await freePort();
  const file = join(import.meta.dirname, `../servers/${server}.ts`);
  const child = startProcess([file, String(port), root]);
  child.stdout?.resume();
  await waitForPort(port);
  return { child, base: `http://127.0.0.1:${port}` };
}

async function measureMemory({ child, upload, download }: Side): Promise<Row[]> {
  await upload(LARGE_MEBIBYTES);
  await download();
  const peak = peakRss(child.pid ?? 0);
  return peak === undefined ? [] : [toBoundRow(MEMORY, peak / 1e6, MOST_RSS / 1e6)];
}

/** Most memory that a process ever had, in bytes (proc_pid_status(5), `VmHWM`); undefined without `/proc`. */
function peakRss(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) * 1024;
  } catch {
    return undefined;
  }
}
