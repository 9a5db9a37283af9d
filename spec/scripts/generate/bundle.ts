import { redocly } from '../redocly.ts';

/** Published names of the handwritten documents. */
export const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;
type DocumentName = (typeof DOCUMENTS)[number];

/** A bundled document: an OpenAPI 3.1 object in which every `$ref` points into the document itself. */
type Bundle = {
  info: { title: string; version: string };
  paths: Record<string, unknown>;
  components: Record<string, unknown>;
};
export type Bundles = Record<DocumentName, Bundle>;

/** Bundles each document into one value. Throws with the output of the bundler if it fails. */
export async function bundle(): Promise<Bundles> {
  const entries = DOCUMENTS.map(async (name) => {
    const run = await redocly('bundle', `${name}/openapi.yaml`, '--ext', 'json');
    if (run.exitCode !== 0) throw new Error(`${name} cannot be bundled:\n${run.stderr}`);
    return [name, JSON.parse(run.stdout)];
  });
  return Object.fromEntries(await Promise.all(entries));
}
