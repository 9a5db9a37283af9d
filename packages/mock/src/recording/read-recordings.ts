import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFileError } from '../files/describe-file-error.ts';
import { isObject } from '../is-object.ts';
import { FORMAT, type Recording } from './recording.ts';
import { RecordingError } from './recording-error.ts';

/**
 * Reads the recordings of a folder, in the order of their names.
 *
 * @throws RecordingError that names the file
 */
export async function readRecordings(dir: string): Promise<Recording[]> {
  const names = await readdir(dir).catch((error: Error) => {
    throw new RecordingError(`The folder ${dir} cannot be read: ${describeFileError(error)}.`);
  });
  const files = names.filter((name) => name.endsWith('.json'));
  if (files.length === 0) throw new RecordingError(`The folder ${dir} holds no recordings.`);
  files.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return Promise.all(files.map((name) => readRecording(join(dir, name))));
}

async function readRecording(file: string): Promise<Recording> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new RecordingError(`${file} cannot be read: ${describeFileError(error)}.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${file} is no JSON: ${(error as Error).message}`);
  }
  if (isRecording(value)) return value;
  throw new RecordingError(`${file} is no recording of the format ${FORMAT}.`);
}

function isRecording(value: unknown): value is Recording {
  if (!isObject(value) || value.format !== FORMAT) return false;
  const { surface, origin, request, answer } = value;
  return (
    typeof surface === 'string' &&
    typeof origin === 'string' &&
    isObject(request) &&
    typeof request.method === 'string' &&
    typeof request.target === 'string' &&
    isObject(request.headers) &&
    isObject(answer) &&
    Number.isInteger(answer.status) &&
    isObject(answer.headers)
  );
}
