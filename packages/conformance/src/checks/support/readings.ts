import type { Trial } from '../../trial/trial.ts';
import type { Reading, StoredFile } from '../../trial/upload-tool.ts';
import { poll } from './poll.ts';

/** Longest wait for a file whose upload was answered, in milliseconds. */
const LATEST = 2000;

/** Reads what stands at a path now, whatever its file ID was before. */
export async function readPath(t: Trial, path: string): Promise<Reading> {
  return t.upload.read(await t.upload.fileIdOf(path));
}

export function hasBytes(reading: Reading, bytes: Buffer): boolean {
  return reading.found && reading.bytes.equals(bytes);
}

/** What a reader got, in words: `64 bytes, the first other one at 63`. */
export function describeReading(reading: Reading, wanted?: Buffer): string {
  if (!reading.found) return `nothing (${reading.why})`;
  const { bytes } = reading;
  if (wanted === undefined) return `${bytes.length} bytes`;
  const first = bytes.findIndex((byte, index) => byte !== wanted[index]);
  const differs = first >= 0 && first < wanted.length;
  return `${bytes.length} bytes${differs ? `, the first other one at ${first}` : ''}`;
}

/** Expects that a reader got exactly these bytes. */
export function expectBytes(t: Trial, reading: Reading, bytes: Buffer, what: string): void {
  const message = `${what} must have its ${bytes.length} bytes, not ${describeReading(reading, bytes)}`;
  t.expect(hasBytes(reading, bytes), message, reading.exchange);
}

export function expectNothing(t: Trial, reading: Reading, what: string): void {
  t.expect(
    !reading.found,
    `${what} must not be found, not read with ${describeReading(reading)}`,
    reading.exchange,
  );
}

/**
 * Stores a file and reads it at its path, so that a later reading says something about what was done in
 * between. Where that does not work, the check is not reached.
 */
export async function storeReadable(
  t: Trial,
  name: string,
  content?: Buffer | string,
): Promise<StoredFile> {
  const file = await t.upload.store(name, content);
  const fileId = await t.upload.fileIdOf(file.path);
  const reading = await poll(
    () => t.upload.read(fileId),
    (got) => hasBytes(got, file.bytes),
    { most: LATEST, every: 100 },
  );
  t.reach(hasBytes(reading, file.bytes), `a stored file was read as ${describeReading(reading)}`);
  return { ...file, fileId };
}
