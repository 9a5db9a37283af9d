import { readFile } from 'node:fs/promises';
import { assertWireProfile, WireProfileError } from '../contract/assert-wire-profile.ts';
import type { WireProfile } from '../contract/wire-profile.ts';

/**
 * Reads a wire profile (D1: "a JSON file on the command line").
 *
 * @throws WireProfileError that names the file
 */
export async function readWireProfile(file: string): Promise<WireProfile> {
  try {
    return await assertWireProfile(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new WireProfileError(`${file} is no wire profile: ${(error as Error).message}`);
  }
}
