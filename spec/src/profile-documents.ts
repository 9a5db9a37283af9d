import { defaultWireProfile, type WireProfile } from './wire-profile.ts';

/**
 * Rewrites an OpenAPI document or an Arazzo workflow of the contract in a deployment's own words: with the
 * names of its wire profile, with flat storage responses if it sends them, and with copy paths as it spells
 * them. The document itself stays as it is.
 *
 * @param document a parsed document, or any part of one
 *
 * @example
 * import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
 * const own = toProfileDocument(storage, toWireProfile({ envelope: 'flat' }));
 */
export function toProfileDocument<Document>(document: Document, profile: WireProfile): Document {
  let own = toRenamed(document, toNames(profile));
  if (profile.copyPaths === 'relative') own = toRelativePaths(own);
  if (profile.envelope === 'flat') own = toFlat(own);
  return own as Document;
}

/** The neutral names, and the names of a profile. */
function toNames(profile: WireProfile): ReadonlyMap<string, string> {
  const own = listNames(profile);
  return new Map(listNames(defaultWireProfile).map((name, index) => [name, own[index] as string]));
}

function listNames(profile: WireProfile): string[] {
  const { storageHeaders, uploadFields, storeFileID, gatewayHeaders } = profile;
  const { authorization, sessionToken, timestamp } = storageHeaders;
  const { securityToken, metaFileId } = uploadFields;
  const { upstreamStatus } = gatewayHeaders;
  const headers = [authorization, sessionToken, timestamp, upstreamStatus];
  return [...headers, securityToken, metaFileId, storeFileID];
}

/** Replaces names that are a key or a complete text, and those at the end of an expression of a workflow. */
function toRenamed(node: unknown, names: ReadonlyMap<string, string>): unknown {
  const rename = (text: string) => {
    const isExpression = text.startsWith('$');
    const end = Math.max(text.lastIndexOf('/'), text.lastIndexOf('.')) + 1;
    const name = isExpression ? text.slice(end) : text;
    return (isExpression ? text.slice(0, end) : '') + (names.get(name) ?? name);
  };
  if (typeof node === 'string') return rename(node);
  if (Array.isArray(node)) return node.map((item) => toRenamed(item, names));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node);
  return Object.fromEntries(
    entries.map(([key, value]) => [names.get(key) ?? key, toRenamed(value, names)]),
  );
}

/** How workflows refer to the content of the envelope. */
const CONTENT = '$response.body#/body/';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Takes the content out of each envelope: of schemas, of examples, and of the criteria of workflows. A flat
 * response has no `statusCode` besides its own status.
 */
function toFlat(node: unknown): unknown {
  if (typeof node === 'string') return node.replace(CONTENT, '$response.body#/');
  if (Array.isArray(node)) return node.filter((item) => !isOnStatusCode(item)).map(toFlat);
  if (typeof node !== 'object' || node === null) return node;
  const { title, properties, statusCode, body, ...others } = node as Fields;
  if (statusCode !== undefined && body !== undefined && Object.keys(others).length === 0) {
    return toFlat(body);
  }
  const { statusCode: ofSchema, body: content } = (properties ?? {}) as Fields;
  if (ofSchema !== undefined && content !== undefined) {
    return toFlat({ ...(content as Fields), title });
  }
  return Object.fromEntries(
    Object.entries(node)
      // The schema of a field that no response has.
      .filter(([name]) => name !== 'StatusCode')
      .map(([name, value]) => [name, toFlat(value)]),
  );
}

/** Whether a criterion of a workflow is about the status in the envelope. */
function isOnStatusCode(item: unknown): boolean {
  const { condition } = Object(item) as { condition?: unknown };
  return typeof condition === 'string' && condition.startsWith('$response.body#/statusCode ');
}

/** Removes the leading `/` from the copy paths of examples and workflows, and from the pattern that requires it. */
function toRelativePaths(node: unknown, key = ''): unknown {
  if (typeof node === 'string') {
    if (key === 'srcPath' || key === 'dstPath') return node.replace(/^\//, '');
    return key === 'x-berth-item-pattern' ? node.replace(/^\^\//, '^') : node;
  }
  if (Array.isArray(node)) return node.map((item) => toRelativePaths(item));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node);
  return Object.fromEntries(entries.map(([name, value]) => [name, toRelativePaths(value, name)]));
}
