import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { run } from './processes.ts';

const MIB = 1024 * 1024;
const OPTIONS = ['--silent', '--fail', '--output', '/dev/null', '--header', 'Expect:'];

type Fields = Readonly<Record<string, string>>;

/** Uploads a file as a form with curl; returns the seconds until the response. */
export async function uploadByCurl(url: string, fields: Fields, file: string): Promise<number> {
  const texts = Object.entries(fields).flatMap(([key, value]) => [
    '--form-string',
    `${key}=${value}`,
  ]);
  return time([...texts, '--form', `file=@${file}`, url]);
}

/** Downloads and discards a file with curl; returns the seconds. */
export function downloadByCurl(url: string): Promise<number> {
  return time([url]);
}

async function time(args: readonly string[]): Promise<number> {
  return Number(await run(['curl', ...OPTIONS, '--write-out', '%{time_total}', ...args]));
}

/** Writes a file of so many MiB. */
export async function writeLargeFile(file: string, mebibytes: number): Promise<void> {
  const stream = createWriteStream(file);
  const bytes = Buffer.alloc(MIB, 'a');
  for (let written = 0; written < mebibytes; written += 1) {
    if (!stream.write(bytes)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}
