import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Published names of the handwritten documents. */
export const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;
type DocumentName = (typeof DOCUMENTS)[number];

/** An OpenAPI 3.1 document in which every `$ref` points into the document itself. */
type Bundle = {
  info: { title: string; version: string };
  paths: Record<string, unknown>;
  components: Record<string, unknown>;
};
export type Bundles = Record<DocumentName, Bundle>;

/** Reads the documents. */
export function readDocuments(): Bundles {
  const entries = DOCUMENTS.map((name) => {
    const file = join(import.meta.dirname, '../..', `${name}.yaml`);
    return [name, parse(readFileSync(file, 'utf8'))];
  });
  return Object.fromEntries(entries);
}
