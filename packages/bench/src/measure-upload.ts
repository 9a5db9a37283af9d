import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@berth/runtimes/free-port';
import { compare, toBoundRow } from './compare.ts';
import { makeTemporaryFolder } from './make-temporary-folder.ts';
import type { Figure, Row } from './row.ts';
import { runProgram, startProcess, stopProcess } from './start-process.ts';
import { waitForPort } from './wait-for-port.ts';

const SERVER = join(import.meta.dirname, 'servers/upload-sink.ts');
const WORKER = join(import.meta.dirname, 'upload-worker.ts');
const MEBIBYTES = 1024;
/** In bytes of the decimal megabyte. */
const MOST_RSS = 200e6;

const UPLOAD: Figure = {
  suite: 'client',
  measure: `upload of ${MEBIBYTES} MiB from disk, MiB/s`,
  peerName: 'curl -F',
  goal: '>= 0.9',
};
const MEMORY: Figure = {
  suite: 'client',
  measure: 'peak RSS of that upload, MB',
  peerName: 'bound of 200 MB',
  goal: '<= 1',
};
export const UPLOAD_FIGURES: readonly Figure[] = [UPLOAD, MEMORY];

/** A file of 1 GiB from disk, by the client and by `curl -F`, to a server that throws it away. */
export async function measureUpload(runs: number): Promise<Row[]> {
  const root = makeTemporaryFolder('upload');
  const file = join(root, 'file.bin');
  const port = await freePort();
  const server = startProcess([SERVER, String(port)]);
  const baseUrl = `http://127.0.0.1:${port}`;
  let rss = 0;
  try {
    await writeFile(file);
    await waitForPort(port);
    const row = await compare(
      UPLOAD,
      runs,
      async () => {
        const stdout = await runProgram([process.execPath, WORKER, baseUrl, file]);
        const { seconds, maxRss } = JSON.parse(stdout);
        rss = Math.max(rss, maxRss);
        return MEBIBYTES / seconds;
      },
      async () => {
        const args = ['--silent', '--fail', '--form', `file=@${file}`, '--output', '/dev/null'];
        const time = ['--write-out', '%{time_total}'];
        const stdout = await runProgram(['curl', ...args, ...time, `${baseUrl}/upload`]);
        return MEBIBYTES / Number(stdout);
      },
    );
    return [row, toBoundRow(MEMORY, rss / 1e6, MOST_RSS / 1e6, row.runs)];
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
