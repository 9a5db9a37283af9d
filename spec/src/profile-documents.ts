import { defaultWireProfile, toWireProfile, type WireProfile } from './wire-profile.ts';

type Fields = Readonly<Record<string, unknown>>;

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
  const ownNames = listNames(toWireProfile(profile));
  const names = new Map(listNames(defaultWireProfile).map((name, at) => [name, ownNames[at]]));
  const isFlat = profile.envelope === 'flat';
  // Visits the values in an object before the object.
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (typeof value === 'string') {
      const text = profile.copyPaths === 'relative' ? toRelative(key, value) : value;
      return rename(isFlat ? text.replace(CONTENT, '$response.body#/') : text, names);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return isFlat ? value.filter((item) => !isOnStatusCode(item)) : value;
    const entries = Object.entries(value).map(([name, item]) => [names.get(name) ?? name, item]);
    return isFlat ? toFlat(key, Object.fromEntries(entries)) : Object.fromEntries(entries);
  });
}

function listNames({ storageHeaders, uploadFields, gatewayHeaders, storeFileID }: WireProfile) {
  const groups = [storageHeaders, uploadFields, gatewayHeaders, { storeFileID }];
  return groups.flatMap((group) => Object.values<string>(group));
}

/** Replaces a name that is the complete text, or the end of an expression of a workflow. */
function rename(text: string, names: ReadonlyMap<string, string | undefined>): string {
  const end = Math.max(text.lastIndexOf('/'), text.lastIndexOf('.')) + 1;
  const start = text.startsWith('$') ? text.slice(0, end) : '';
  const name = text.slice(start.length);
  return start + (names.get(name) ?? name);
}

/** How workflows refer to the content of the envelope. */
const CONTENT = '$response.body#/body/';

/** Takes the content of an example or a schema out of its envelope. */
function toFlat(key: string, fields: Fields): unknown {
  // The schema of a field that no response has.
  if (key === 'StatusCode') return undefined;
  if (key === 'properties') return fields;
  if (isEnvelope(fields) && Object.keys(fields).length === 2) return fields.body;
  const { properties, title } = fields;
  return isEnvelope(properties) ? { ...Object(properties.body), title } : fields;
}

function isEnvelope(value: unknown): value is Fields {
  return 'statusCode' in Object(value) && 'body' in Object(value);
}

/** Whether a criterion of a workflow is about the status in the envelope. */
function isOnStatusCode(item: { condition?: string } | null): boolean {
  return item?.condition?.startsWith?.('$response.body#/statusCode ') ?? false;
}

/** Removes the leading `/` from a copy path, and from the pattern that requires it. */
function toRelative(key: string, text: string): string {
  if (key === 'srcPath' || key === 'dstPath') return text.replace(/^\//, '');
  return key === 'x-berth-item-pattern' ? text.replace(/^\^\//, '^') : text;
}
