import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readRules } from './read-rules.ts';

/** Published names of the handwritten documents. */
export const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;

/** The folder of the contract. */
export const SPEC = join(import.meta.dirname, '..');

// biome-ignore lint/suspicious/noExplicitAny: generators reach into every corner of the contract
export type Any = any;

export type Contract = ReturnType<typeof readContract>;

/** Reads the contract, and validates its rules. */
export function readContract() {
  const [gateway, storage] = DOCUMENTS.map((name) => readYaml(`${name}.yaml`));
  const documents = { 'gateway.v1': gateway, 'storage.v2': storage };
  const defaults = readYaml('defaults.yaml');
  const decisions = readDecisions();
  const rules = { decisions, ...readRules({ documents, defaults, decisions }) };
  const profile = JSON.parse(readFileSync(join(SPEC, 'wire-profiles/default.json'), 'utf8'));
  return { documents, gateway, storage, defaults, decisions, rules, profile };
}

function readYaml(file: string): Any {
  return parse(readFileSync(join(SPEC, file), 'utf8'));
}

/** Reads the titles of the decisions by ID: `{ D8: 'Content-Disposition' }`. */
function readDecisions(): Readonly<Record<string, string>> {
  const page = readFileSync(join(SPEC, '../docs/decisions.md'), 'utf8');
  return Object.fromEntries(
    [...page.matchAll(/^## (D\d+) · (.+)$/gm)].map(([, id, title]) => [id, title]),
  );
}

/**
 * Returns the identity of the contract: the version and SHA-256 of each document, the hash of the rules, and a
 * hash of all this, which every package generated from the contract contains.
 */
export function toIdentity({ documents, rules }: Pick<Contract, 'documents' | 'rules'>) {
  const parts = Object.entries(documents).map(([name, document]) => [
    name,
    { version: document.info.version, sha256: sha256(document) },
  ]);
  return {
    documents: Object.fromEntries(parts) as Record<string, { version: string; sha256: string }>,
    rules: { sha256: sha256(rules) },
    sha256: sha256([documents, rules]),
  };
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
