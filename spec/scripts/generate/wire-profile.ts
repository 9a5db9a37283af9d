import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Names } from './rename.ts';

const FOLDER = join(import.meta.dirname, '../../overlays');

/** Names that a deployment puts in place of the neutral ones (decision D1); `overlays/wire-profile.schema.json`. */
export type WireProfile = {
  name: string;
  storageHeaders: { authorization: string; sessionToken: string; timestamp: string };
  uploadFields: { securityToken: string; metaFileId: string };
  storeFileID: string;
  gatewayHeaders: { upstreamStatus: string };
};

export async function readProfile(name: string): Promise<WireProfile> {
  return JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8'));
}

/** Which name of `from` becomes which of `to`. Names that are the same in both are left out. */
export function toNames(from: WireProfile, to: WireProfile): Names {
  const before = listNames(from);
  const after = listNames(to);
  const pairs = before.map((name, index) => [name, after[index] as string] as const);
  return new Map(pairs.filter(([old, name]) => old !== name));
}

function listNames(profile: WireProfile): string[] {
  const { storageHeaders, uploadFields, storeFileID, gatewayHeaders } = profile;
  return [
    storageHeaders.authorization,
    storageHeaders.sessionToken,
    storageHeaders.timestamp,
    uploadFields.securityToken,
    uploadFields.metaFileId,
    storeFileID,
    gatewayHeaders.upstreamStatus,
  ];
}
