import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
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
  const rules = { decisions: toFiles(decisions), ...readRules({ documents, defaults, decisions }) };
  const profile = JSON.parse(readFileSync(join(SPEC, 'wire-profiles/default.json'), 'utf8'));
  return { documents, gateway, storage, defaults, decisions, rules, profile };
}

function readYaml(file: string): Any {
  return parse(readFileSync(join(SPEC, file), 'utf8'));
}

export interface Decision {
  readonly title: string;
  /** File in `docs/decisions`. */
  readonly file: string;
}

/** Reads the decisions by ID: `{ D8: { title: 'Content-Disposition', file: 'd08-content-disposition.md' } }`. */
function readDecisions(): Readonly<Record<string, Decision>> {
  const folder = join(SPEC, '../docs/decisions');
  const files = readdirSync(folder).filter((file) => /^d\d\d-.*\.md$/.test(file));
  const entries = files.sort().map((file) => {
    const id = `D${Number(file.slice(1, 3))}`;
    const [, title = id] = /^# D\d+ · (.+)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    return [id, { title, file }];
  });
  return Object.fromEntries(entries);
}

function toFiles(decisions: Readonly<Record<string, Decision>>): Record<string, string> {
  return Object.fromEntries(Object.entries(decisions).map(([id, { file }]) => [id, file]));
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
