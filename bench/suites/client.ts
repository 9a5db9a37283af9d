import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, type Figure, type Row, type Suite, toLimit, toLimitRow } from '../compare.ts';
import {
  LOAD_CORE,
  makeTemporaryFolder,
  runNode,
  SERVER_CORE,
  startServer,
  stopProcess,
  uploadByCurl,
  writeLargeFile,
} from '../processes.ts';

const SUITE = 'client';
const CALL_WORKER = join(import.meta.dirname, '../call-worker.ts');
/** Enough for a run of at least half a second. */
const CALLS = 4_000;
const KINDS = { get: 'GET of a service', post: 'POST of storage' } as const;
const AT_A_TIME = [1, 64];
const PEER = 'openapi-fetch';

/**
 * Compares our client with openapi-fetch for small calls, and with `curl -F` for the upload of a large file.
 * Each client runs in its own process on one core, and the server on another.
 */
export const clientSuite: Suite = {
  name: SUITE,
  description: 'The client against openapi-fetch with a time limit, and against curl',
  run: async (runs) => [...(await measureCalls(runs)), ...(await measureUpload(runs))],
};

/** Compares the CPU time per call, which excludes the time spent waiting for the server. */
async function measureCalls(runs: number): Promise<Row[]> {
  const { child: server, url: baseUrl } = await startServer('minimal', ['storage'], SERVER_CORE);
  const rows: Row[] = [];
  try {
    for (const [kind, title] of Object.entries(KINDS)) {
      for (const atATime of AT_A_TIME) {
        const how = atATime === 1 ? 'sequential' : `${atATime} concurrent`;
        const measure = `${title}, ${how}, CPU µs per call`;
        const figure = { suite: SUITE, measure, peerName: PEER, goal: '<= 1.2' } as const;
        const time = (client: string) => async () => {
          const args = [CALL_WORKER, client, baseUrl, kind, String(atATime), String(CALLS)];
          return JSON.parse(await runNode(args, LOAD_CORE)).cpu;
        };
        rows.push(await compare(figure, runs, time('ours'), time(PEER)));
      }
    }
    return rows;
  } finally {
    await stopProcess(server);
  }
}

const UPLOAD_WORKER = join(import.meta.dirname, '../upload-worker.ts');

const MEBIBYTES = 1024;

const UPLOAD: Figure = {
  suite: SUITE,
  measure: `upload of ${MEBIBYTES} MiB from disk, MiB/s`,
  peerName: 'curl -F',
  goal: '>= 0.8',
};

const MEMORY = toLimit(SUITE, 'peak RSS of that upload, MB', '200 MB');

/** Uploads a 1 GiB file from disk with the client and with `curl -F`, to a server that discards it. */
async function measureUpload(runs: number): Promise<Row[]> {
  const root = makeTemporaryFolder('upload');
  const file = join(root, 'file.bin');
  const { child: server, url: baseUrl } = await startServer('minimal', ['storage']);
  let rss = 0;
  try {
    await writeLargeFile(file, MEBIBYTES);
    const row = await compare(
      UPLOAD,
      runs,
      async () => {
        const { seconds, maxRss } = JSON.parse(await runNode([UPLOAD_WORKER, baseUrl, file]));
        rss = Math.max(rss, maxRss);
        return MEBIBYTES / seconds;
      },
      async () => MEBIBYTES / (await uploadByCurl(`${baseUrl}/upload`, {}, file)),
    );
    return [row, toLimitRow(MEMORY, rss / 1e6, row.runs)];
  } finally {
    await stopProcess(server);
    await rm(root, { recursive: true, force: true });
  }
}
