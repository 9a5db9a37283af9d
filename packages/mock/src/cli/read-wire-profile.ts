import { readFile } from 'node:fs/promises';
import { assertWireProfile, WireProfileError } from '../contract/assert-wire-profile.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
import { describeFileError } from '../files/describe-file-error.ts';

/**
 * Reads a wire profile (D1: "a JSON file on the command line").
 *
 * @throws WireProfileError that names the file
 */
export async function readWireProfile(file: string): Promise<WireProfile> {
  try {
    return await assertWireProfile(JSON.parse(await readText(file)));
  } catch (error) {
    throw new WireProfileError(`${file} is no wire profile: ${(error as Error).message}`);
  }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`${describeFileError(error)}.`);
  });
}
