import type { WireProfile } from '@berth/server-stubs';
import standard from '@berth/spec/wire-profiles/default.json' with { type: 'json' };

export type { WireProfile } from '@berth/server-stubs';

/** The neutral names of the contract. */
export const standardProfile: WireProfile = standard;

/** A copy of a document in which the neutral names, as keys and as whole values, are those of a profile. */
export function applyProfile<Document>(document: Document, profile: WireProfile): Document {
  const own = listNames(profile);
  const names = new Map(
    listNames(standardProfile).map((name, index) => [name, own[index] ?? name]),
  );
  const rename = (name: string) => names.get(name) ?? name;
  const copy = (node: unknown): unknown => {
    if (typeof node === 'string') return rename(node);
    if (Array.isArray(node)) return node.map(copy);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [rename(key), copy(value)]),
    );
  };
  return copy(document) as Document;
}

function listNames(profile: WireProfile): string[] {
  const { storageHeaders, uploadFields, storeFileID, gatewayHeaders } = profile;
  const { authorization, sessionToken, timestamp } = storageHeaders;
  const { securityToken, metaFileId } = uploadFields;
  const { upstreamStatus } = gatewayHeaders;
  return [
    authorization,
    sessionToken,
    timestamp,
    securityToken,
    metaFileId,
    storeFileID,
    upstreamStatus,
  ];
}
