import type { WireProfile } from '@berth/server-stubs';
import schema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import standard from '@berth/spec/wire-profiles/default.json' with { type: 'json' };

/** Thrown if a wire profile is invalid. The message is one sentence. */
export class WireProfileError extends TypeError {
  override readonly name = 'WireProfileError';
}

/**
 * Validates a wire profile.
 *
 * @throws WireProfileError that names the first invalid field
 */
export async function assertWireProfile(value: unknown): Promise<WireProfile> {
  // Loaded only for custom profiles.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const validate = new Ajv2020().compile<WireProfile>(schema);
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  const { instancePath = '', message, params } = error ?? {};
  const field = `wireProfile${instancePath.replaceAll('/', '.')}`;
  const extra = params?.additionalProperty;
  throw new WireProfileError(
    extra === undefined ? `${field} ${message}.` : `${field} must not contain the ${extra} field.`,
  );
}

export type { WireProfile } from '@berth/server-stubs';

export const standardProfile: WireProfile = standard;

/**
 * Copies a document and replaces the neutral names with a profile's names. Only keys and complete string
 * values are replaced.
 */
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
