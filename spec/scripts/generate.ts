import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeGenerated } from '@berth/codegen';
import { parse } from 'yaml';
import { type Bundles, bundle, DOCUMENTS } from './generate/bundle.ts';
import { bundleWorkflows, listDownloads } from './generate/downloads.ts';
import { readRules } from './generate/rules.ts';
import { toAsyncApi } from './generate/to-async-api.ts';
import { toPostman } from './generate/to-postman.ts';
import { toSamples } from './generate/to-samples.ts';

const FOLDER = join(import.meta.dirname, '../defaults');

/**
 * Reads all files in `spec/defaults` into one object, with a property per file (`gateway-errors.yaml` →
 * `gatewayErrors`).
 */
async function readDefaults(): Promise<Record<string, unknown>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.yaml')).sort();
  const entries = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8');
    return [toCamelCase(basename(file, '.yaml')), parse(text)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function toCamelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const WIRE_PROFILE_FOLDER = join(import.meta.dirname, '../overlays');

/**
 * Names that a deployment uses instead of the neutral ones (D1), as in
 * `overlays/wire-profile.schema.json`.
 */
type WireProfile = {
  name: string;
  storageHeaders: { authorization: string; sessionToken: string; timestamp: string };
  uploadFields: { securityToken: string; metaFileId: string };
  storeFileID: string;
  gatewayHeaders: { upstreamStatus: string };
};

export async function readProfile(name: string): Promise<WireProfile> {
  return JSON.parse(await readFile(join(WIRE_PROFILE_FOLDER, `${name}.json`), 'utf8'));
}

/** Maps the names in `from` to those in `to`, except for names that are the same in both. */
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

/** Writes the generated exports of `@berth/spec`. */
const [documents, newer] = await Promise.all([bundle(), bundle('openapi-3.2')]);

const asyncApi = toAsyncApi(newer['gateway.v1']);

const rules = await readRules(documents);

const workflows = await bundleWorkflows();

const acme = toNames(await readProfile('default'), await readProfile('acme'));

await Promise.all([
  ...DOCUMENTS.map(async (name) =>
    write(`${name}.postman.gen.json`, await toPostman(documents[name])),
  ),
  write('samples.gen.json', {
    samples: Object.assign({}, ...DOCUMENTS.map((name) => toSamples(documents[name]))),
  }),
  ...DOCUMENTS.flatMap((name) => [
    write(`${name}.gen.json`, documents[name]),
    write(`${name}.gen.yaml`, documents[name]),
    write(`${name}.openapi-3.2.gen.json`, newer[name]),
    write(`${name}.openapi-3.2.gen.yaml`, newer[name]),
    write(
      `overlays/acme.${name}.gen.yaml`,
      toOverlay(`Wire profile acme for ${name}`, documents[name], acme),
    ),
  ]),
  write('gateway.v1.asyncapi.gen.json', asyncApi),
  write('gateway.v1.asyncapi.gen.yaml', asyncApi),
  ...Object.entries(workflows).map(([name, workflow]) =>
    write(`workflows/${name}.arazzo.gen.yaml`, workflow),
  ),
  write('downloads.gen.json', { downloads: listDownloads(documents, workflows) }),
  write('defaults.gen.json', await readDefaults()),
  write('rules.gen.json', rules),
  write('contract.gen.json', toContract(documents, rules)),
]);

function write(name: string, content: unknown): Promise<void> {
  return writeGenerated(`generated/${name}`, content, 'spec/scripts/generate.ts');
}

/**
 * Returns the identity of the contract: the version and SHA-256 of each document, the version of the
 * rules, and a hash of all this, which every package generated from the contract contains.
 */
function toContract(documents: Bundles, rules: { version: string }) {
  const parts = DOCUMENTS.map((name) => {
    const { version } = documents[name].info;
    return [name, { version, sha256: sha256(documents[name]) }] as const;
  });
  return {
    documents: Object.fromEntries(parts),
    rules: { version: rules.version, sha256: sha256(rules) },
    sha256: sha256([documents, rules]),
  };
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Maps neutral names to names on the wire. */
type Names = ReadonlyMap<string, string>;

/** Replaces each name in the keys of `value` and, as a separate word, in its strings. */
export function rename(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return renameText(value, names);
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, rename(item, names)]),
  );
}

function renameText(text: string, names: Names): string {
  const words = [...names.keys()].map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|');
  return text.replace(new RegExp(`(?<![\\w-])(${words})(?![\\w-])`, 'g'), (name) => {
    return names.get(name) ?? name;
  });
}

type Action = { target: string; remove?: true; update?: unknown };

type Json = Record<string, unknown>;

/**
 * Creates an OpenAPI Overlay 1.0 that applies a wire profile's names to a bundled document.
 *
 * Updates in an overlay merge objects and append to arrays, so objects with a renamed key and changed
 * arrays are removed and written again.
 */
function toOverlay(title: string, document: object, names: Names) {
  const actions = toActions('$', document as Json, rename(document, names) as Json);
  return { overlay: '1.0.0', info: { title, version: '1.0.0' }, actions };
}

function toActions(target: string, before: Json, after: Json): Action[] {
  return Object.keys(before).flatMap((key) => {
    const [old, value] = [before[key], after[key]];
    if (isDeepStrictEqual(old, value)) return [];
    if (isJson(old) && isJson(value) && haveSameKeys(old, value)) {
      return toActions(`${target}['${key.replaceAll("'", "\\'")}']`, old, value);
    }
    const update = { target, update: { [key]: value } };
    if (typeof old !== 'object') return [update];
    return [{ target: `${target}['${key}']`, remove: true as const }, update];
  });
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function haveSameKeys(before: Json, after: Json): boolean {
  return isDeepStrictEqual(Object.keys(before), Object.keys(after));
}
