import { join } from 'node:path';
import { compare, type Row, type Suite } from '../compare.ts';
import {
  LOAD_CORE,
  makeTemporaryFolder,
  run,
  SERVER_CORE,
  startServer,
  stop,
  uploadByCurl,
  writeLargeFile,
} from '../processes.ts';

const CALL_WORKER = join(import.meta.dirname, '../call-worker.ts');
const UPLOAD_WORKER = join(import.meta.dirname, '../upload-worker.ts');
/** Enough for a run of at least half a second. */
const CALLS = 4_000;
const KINDS = { get: 'GET of a service', post: 'POST of storage' };
const MEBIBYTES = 1024;

/**
 * Compares our client with openapi-fetch for small calls, and with `curl -F` for the upload of a large file.
 * Each client runs in its own process.
 */
export const clientSuite: Suite = {
  name: 'client',
  description: 'The client against openapi-fetch with a time limit, and against curl',
  run: async (runs) => [...(await measureCalls(runs)), ...(await measureUpload(runs))],
};

/** Compares the CPU time per call, which excludes the time spent waiting for the server. */
async function measureCalls(runs: number): Promise<Row[]> {
  const { child: server, url } = await startServer('minimal', ['storage'], SERVER_CORE);
  const rows: Row[] = [];
  for (const [kind, title] of Object.entries(KINDS)) {
    for (const atATime of [1, 64]) {
      const measure = `${title}, ${atATime} at a time, CPU µs per call`;
      const figure = {
        suite: 'client',
        measure,
        peerName: 'openapi-fetch',
        goal: '<= 1.2',
      } as const;
      const time = (client: string) => async () => {
        const args = [CALL_WORKER, client, url, kind, `${atATime}`, `${CALLS}`];
        return Number(await run(process.execPath, args, LOAD_CORE));
      };
      rows.push(await compare(figure, runs, time('ours'), time('openapi-fetch')));
    }
  }
  await stop(server);
  return rows;
}

/** Uploads a file from disk with the client and with `curl -F`, to a server that discards it. */
async function measureUpload(runs: number): Promise<Row[]> {
  const file = join(makeTemporaryFolder('upload'), 'file.bin');
  await writeLargeFile(file, MEBIBYTES);
  const { child: server, url } = await startServer('minimal', ['storage']);
  let megabytes = 0;
  const upload = await compare(
    {
      suite: 'client',
      measure: `upload of ${MEBIBYTES} MiB from disk, MiB/s`,
      peerName: 'curl -F',
      goal: '>= 0.8',
    },
    runs,
    async () => {
      const result = JSON.parse(await run(process.execPath, [UPLOAD_WORKER, url, file]));
      megabytes = Math.max(megabytes, result.maxRss / 1e6);
      return MEBIBYTES / result.seconds;
    },
    async () => MEBIBYTES / (await uploadByCurl(`${url}/upload`, {}, file)),
  );
  const memory = await compare(
    { suite: 'client', measure: 'peak RSS of that upload, MB', peerName: 'limit', goal: '<= 1' },
    1,
    async () => megabytes,
    async () => 200,
  );
  await stop(server);
  return [upload, memory];
}
