import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  compare,
  type Figure,
  type Goal,
  type Row,
  type Suite,
  toLimit,
  toLimitRow,
  toRow,
} from '../compare.ts';
import {
  LOAD_CORE,
  makeTemporaryFolder,
  run,
  runNode,
  SERVER_CORE,
  startServer,
  stopProcess,
} from '../processes.ts';

const UPLOAD_WORKER = join(import.meta.dirname, '../upload-worker.ts');

const MEBIBYTES = 1024;

const UPLOAD: Figure = {
  suite: 'client',
  measure: `upload of ${MEBIBYTES} MiB from disk, MiB/s`,
  peerName: 'curl -F',
  goal: '>= 0.9',
};

const MEMORY = toLimit('client', 'peak RSS of that upload, MB', '200 MB');

/** Uploads a 1 GiB file from disk with the client and with `curl -F`, to a server that discards it. */
async function measureUpload(runs: number): Promise<Row[]> {
  const root = makeTemporaryFolder('upload');
  const file = join(root, 'file.bin');
  const { child: server, url: baseUrl } = await startServer('upload-sink');
  let rss = 0;
  try {
    await writeFile(file);
    const row = await compare(
      UPLOAD,
      runs,
      async () => {
        const { seconds, maxRss } = JSON.parse(await runNode([UPLOAD_WORKER, baseUrl, file]));
        rss = Math.max(rss, maxRss);
        return MEBIBYTES / seconds;
      },
      async () => {
        const args = ['--silent', '--fail', '--form', `file=@${file}`, '--output', '/dev/null'];
        const time = ['--write-out', '%{time_total}'];
        const stdout = await run(['curl', ...args, ...time, `${baseUrl}/upload`]);
        return MEBIBYTES / Number(stdout);
      },
    );
    return [row, toLimitRow(MEMORY, rss / 1e6, row.runs)];
  } finally {
    await stopProcess(server);
    await rm(root, { recursive: true, force: true });
  }
}

async function writeFile(file: string): Promise<void> {
  const stream = createWriteStream(file);
  const bytes = Buffer.alloc(1024 * 1024, 'a');
  for (let written = 0; written < MEBIBYTES; written += 1) {
    if (!stream.write(bytes)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}

const SUITE = 'client';

const WORKER = join(import.meta.dirname, '../call-worker.ts');

/** Enough for a run of at least half a second. */
const CALLS = 4_000;

const OURS = 'ours';

/** Those that check and retry less than ours are shown for comparison, without a goal. */
const PEERS: Readonly<Record<string, Goal>> = {
  'bare fetch': '<= 1.3',
  'openapi-fetch': '>= 0',
  'openapi-fetch with a time limit': '>= 0',
  ky: '<= 1.1',
  axios: '<= 1.1',
  ofetch: '>= 0',
};

const CLIENTS = [OURS, ...Object.keys(PEERS)];

const KINDS = { get: 'GET of a service', post: 'POST of storage' } as const;

const AT_A_TIME = [1, 64];

type Kind = keyof typeof KINDS;

const LOADS = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
  AT_A_TIME.map((atATime) => ({ kind, atATime })),
);

/**
 * Compares our client with other clients for small calls, and with `curl -F` for the upload of a large file.
 * Each client runs in its own process on one core, and the server on another.
 */
export const clientSuite: Suite = {
  name: SUITE,
  description: 'The client against bare fetch, openapi-fetch, ky, axios, ofetch and curl',
  figures: [...LOADS.flatMap(figuresOf), UPLOAD, MEMORY],
  run: async (runs) => {
    const { child: server, url: baseUrl } = await startServer('storage', [], SERVER_CORE);
    try {
      const rows: Row[] = [];
      for (const load of LOADS) rows.push(...(await compareCalls(baseUrl, load, runs)));
      rows.push(...(await measureUpload(runs)));
      return rows;
    } finally {
      await stopProcess(server);
    }
  },
};

function figuresOf({ kind, atATime }: (typeof LOADS)[number]): Figure[] {
  const how = atATime === 1 ? 'sequential' : `${atATime} concurrent`;
  const measure = `${KINDS[kind]}, ${how}, CPU µs per call`;
  return Object.entries(PEERS).map(([peerName, goal]) => ({
    suite: SUITE,
    measure,
    peerName,
    goal,
  }));
}

/** Measures every client in each round, starting with a different one each time. */
async function compareCalls(
  baseUrl: string,
  load: (typeof LOADS)[number],
  runs: number,
): Promise<Row[]> {
  const rounds: Record<string, number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    const round: Record<string, number> = {};
    for (let turn = 0; turn < CLIENTS.length; turn += 1) {
      const client = CLIENTS[(turn + run) % CLIENTS.length] as string;
      round[client] = await timeCalls(client, baseUrl, load);
    }
    rounds.push(round);
  }
  return figuresOf(load).map((figure) =>
    toRow(
      figure,
      rounds.map((round) => ({
        ours: round[OURS] as number,
        peer: round[figure.peerName] as number,
      })),
    ),
  );
}

/** Returns the CPU time per call in microseconds, which excludes the time spent waiting for the server. */
async function timeCalls(
  client: string,
  baseUrl: string,
  { kind, atATime }: (typeof LOADS)[number],
): Promise<number> {
  const args = [WORKER, client, baseUrl, kind, String(atATime), String(CALLS)];
  return JSON.parse(await runNode(args, LOAD_CORE)).cpu;
}
