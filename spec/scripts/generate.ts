import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { constant, writeGenerated } from './codegen.ts';
import { type Bundles, DOCUMENTS, readDocuments } from './generate/bundle.ts';
import { readRules } from './generate/rules.ts';

// Writes the generated exports of `@berth/spec`.
const documents = readDocuments();

const rules = await readRules(documents);

await Promise.all([
  ...DOCUMENTS.map((name) => write(`${name}.gen.json`, documents[name])),
  write('defaults.gen.json', readDefaults()),
  write('rules.gen.json', rules),
  write('contract.gen.json', toContract(documents, rules)),
  writeGenerated(
    'src/generated/wire-profile.gen.ts',
    toDefaultProfile(),
    'spec/scripts/generate.ts',
  ),
]);

function write(name: string, content: unknown): Promise<void> {
  return writeGenerated(`generated/${name}`, content, 'spec/scripts/generate.ts');
}

/**
 * Returns the identity of the contract: the version and SHA-256 of each document, the hash of the rules, and a
 * hash of all this, which every package generated from the contract contains.
 */
function toContract(documents: Bundles, rules: object) {
  const parts = DOCUMENTS.map((name) => {
    const { version } = documents[name].info;
    return [name, { version, sha256: sha256(documents[name]) }] as const;
  });
  return {
    documents: Object.fromEntries(parts),
    rules: { sha256: sha256(rules) },
    sha256: sha256([documents, rules]),
  };
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/**
 * Reads all files in `spec/defaults` into one object, with a property per file (`gateway-errors.yaml` →
 * `gatewayErrors`).
 */
function readDefaults(): Record<string, unknown> {
  const folder = join(import.meta.dirname, '../defaults');
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  const entries = files.sort().map((file) => {
    const name = basename(file, '.yaml').replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    return [name, parse(readFileSync(join(folder, file), 'utf8'))];
  });
  return Object.fromEntries(entries);
}

function toDefaultProfile(): string {
  const { $schema: _, ...profile } = JSON.parse(readFileSync('wire-profiles/default.json', 'utf8'));
  return constant('DEFAULT_WIRE_PROFILE', "The contract's neutral names (D1).", profile);
}
