import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Any, readRules, SPEC } from './read-rules.ts';

export { type Any, SPEC };

export type Contract = ReturnType<typeof readContract>;

/** Reads the contract, and validates its rules. */
export function readContract() {
  const gateway = readYaml('gateway.v1.yaml');
  const storage = readYaml('storage.v2.yaml');
  const documents = { 'gateway.v1': gateway, 'storage.v2': storage };
  const defaults = readYaml('defaults.yaml');
  const decisions = readDecisions();
  const rules = { decisions, ...readRules({ documents, defaults, decisions }) };
  const profile = readYaml('wire-profiles/default.json');
  const profileSchema = readYaml('wire-profiles/wire-profile.schema.json');
  return { documents, gateway, storage, defaults, decisions, rules, profile, profileSchema };
}

/** Reads YAML, and therefore JSON. */
export function readYaml(file: string): Any {
  return parse(readFileSync(join(SPEC, file), 'utf8'));
}

/** Reads the titles of the decisions by ID: `{ D8: 'Content-Disposition' }`. */
function readDecisions(): Record<string, string> {
  const page = readFileSync(join(SPEC, '../docs/decisions.md'), 'utf8');
  const titles = page.matchAll(/^## (D\d+) · (.+)$/gm);
  return Object.fromEntries([...titles].map(([, id, title]) => [id, title]));
}

/**
 * Returns the identity of the contract: the version and SHA-256 of each document, the hash of the rules, and a
 * hash of all this, which every package generated from the contract contains.
 */
export function toIdentity({ documents, rules }: Contract) {
  return {
    documents: mapValues(documents, (document) => ({
      version: document.info.version,
      sha256: sha256(document),
    })),
    rules: { sha256: sha256(rules) },
    sha256: sha256([documents, rules]),
  };
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

export function mapValues(object: Any, map: (value: Any) => unknown): Any {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
