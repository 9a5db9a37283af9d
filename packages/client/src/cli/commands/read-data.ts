import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Failure } from '../failure.ts';

/** What `-d` means: a text, `@file`, or `-` for the standard input; whole, for a signature covers it. */
export async function readData(data: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (data === '-' || data === '@-') return new Uint8Array(await buffer(process.stdin));
  if (!data.startsWith('@')) return data;
  try {
    return new Uint8Array(await readFile(data.slice(1)));
  } catch (error) {
    throw new Failure(`The data cannot be read: ${(error as Error).message}.`, 2);
  }
}
