import { readFile } from 'node:fs/promises';
import type { WireProfile } from '../../wire-profile.ts';
import { defaultWireProfile } from '../../wire-profile.ts';
import { Failure } from '../failure.ts';

const SECTIONS = ['storageHeaders', 'uploadFields', 'storeFileID', 'gatewayHeaders'] as const;

/** The names of a deployment from a JSON file (D1); those of the contract where none is named. */
export async function readWireProfile(file: string | undefined): Promise<WireProfile> {
  if (file === undefined) return defaultWireProfile;
  const profile = await parse(file);
  const missing = SECTIONS.find((name) => profile?.[name] === undefined);
  if (missing) throw new Failure(`${file} is no wire profile: it has no ${missing}.`, 2);
  return profile;
}

async function parse(file: string): Promise<WireProfile> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Failure(`The wire profile ${file} cannot be read: ${(error as Error).message}.`, 2);
  }
}
