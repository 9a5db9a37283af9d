import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redocly } from '../redocly.ts';

/** Published names of the handwritten documents. */
export const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** A bundled document: an OpenAPI 3.1 object in which every `$ref` points into the document itself. */
type Bundle = {
  info: { title: string; version: string };
  paths: Record<string, unknown>;
  components: Record<string, unknown>;
};
export type Bundles = Record<DocumentName, Bundle>;

/**
 * Bundles each document into one value. Throws with the output of the bundler if it fails.
 *
 * @param overlays folder with an OpenAPI Overlay for each document, `<name>.overlay.yaml`; without it the documents
 * stay as they are
 */
export async function bundle(overlays?: string): Promise<Bundles> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bundle-'));
  try {
    const entries = await Promise.all(
      DOCUMENTS.map(async (name) => {
        const options = overlays ? ['--overlay', `${overlays}/${name}.overlay.yaml`] : [];
        return [name, await bundleOne(name, join(folder, `${name}.json`), options)];
      }),
    );
    return Object.fromEntries(entries);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundleOne(name: DocumentName, output: string, options: string[]): Promise<Bundle> {
  const run = await redocly('bundle', `${name}/openapi.yaml`, '--output', output, ...options);
  if (run.exitCode !== 0) throw new Error(`${name} cannot be bundled:\n${run.stderr}`);
  return JSON.parse(await readFile(output, 'utf8'));
}
