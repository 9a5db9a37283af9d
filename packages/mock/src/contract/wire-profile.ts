import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';

/**
 * Copies a document and replaces the neutral names with a profile's names. Only keys and complete string
 * values are replaced.
 */
export function applyProfile<Document>(document: Document, profile: WireProfile): Document {
  const own = listNames(profile);
  const names = new Map(
    listNames(defaultWireProfile).map((name, index) => [name, own[index] ?? name]),
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
