import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redocly } from '../redocly.ts';

/** The published names of the hand-written documents. */
export const DOCUMENTS = ['gateway.v1', 'storage.v2'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** A bundled document: an OpenAPI 3.1 object whose every `$ref` points into itself. */
type Bundle = {
  info: { version: string };
  paths: Record<string, unknown>;
  components: Record<string, unknown>;
};
export type Bundles = Record<DocumentName, Bundle>;

/** Bundles each document into one value. Throws with the output of the bundler if it fails. */
export async function bundle(): Promise<Bundles> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bundle-'));
  try {
    const entries = await Promise.all(
      DOCUMENTS.map(async (name) => [name, await bundleOne(name, join(folder, `${name}.json`))]),
    );
    return Object.fromEntries(entries);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundleOne(name: DocumentName, output: string): Promise<Bundle> {
  const run = await redocly('bundle', `${name}/openapi.yaml`, '--output', output);
  if (run.exitCode !== 0) throw new Error(`${name} cannot be bundled:\n${run.stderr}`);
  return JSON.parse(await readFile(output, 'utf8'));
}
