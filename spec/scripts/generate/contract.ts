import { createHash } from 'node:crypto';
import { type Bundles, DOCUMENTS } from './bundle.ts';

/**
 * The identity of the contract: the version and SHA-256 of each document, the version of the rules,
 * and one hash of it all, which travels with every package that was generated from it.
 */
export function toContract(documents: Bundles, rules: { version: string }) {
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
