import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type Bundles, DOCUMENTS } from './bundle.ts';

/** A published document, as the docs site, the mock and the server offer it. */
type Download = {
  /** Path below the address that offers it. */
  path: string;
  title: string;
  /** Media type. */
  type: string;
  /** Path in this package. */
  file: string;
};

const TYPES = { json: 'application/json', yaml: 'application/yaml' };

/** Lists everything that is offered for download. The paths keep the references between the documents. */
export function listDownloads(documents: Bundles, workflows: Record<string, Workflow>): Download[] {
  const ofDocuments = DOCUMENTS.flatMap((name) =>
    Object.entries(TYPES).map(([ending, type]) => ({
      path: `${name}/openapi.${ending}`,
      title: `${documents[name].info.title}, OpenAPI 3.1`,
      type,
      file: `generated/${name}.gen.${ending}`,
    })),
  );
  const ofWorkflows = Object.entries(workflows).map(([name, { info }]) => ({
    path: `workflows/${name}.arazzo.yaml`,
    title: `Workflow "${info.title}", Arazzo 1.0`,
    type: TYPES.yaml,
    file: `generated/workflows/${name}.arazzo.gen.yaml`,
  }));
  return [...ofDocuments, ...ofWorkflows];
}

type Workflow = { info: { title: string } };

const WORKFLOWS = join(import.meta.dirname, '../../workflows');

/** Bundles the workflows by name, each into one file that refers to the downloads of the documents. */
export async function bundleWorkflows(): Promise<Record<string, Workflow>> {
  const files = (await readdir(WORKFLOWS)).filter((file) => file.endsWith('.arazzo.yaml')).sort();
  const entries = files.map(async (file) => {
    const workflow = await readInlined(join(WORKFLOWS, file));
    return [basename(file, '.arazzo.yaml'), workflow];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Reads YAML with the files that it refers to in place of the references. */
async function readInlined(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  const published = text.replaceAll(/\.\.\/generated\/([\w.]+)\.gen\.yaml/g, '../$1/openapi.yaml');
  return inline(parse(published), dirname(file));
}

async function inline(value: unknown, folder: string): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => inline(item, folder)));
  if (value === null || typeof value !== 'object') return value;
  if ('$ref' in value && typeof value.$ref === 'string' && !value.$ref.startsWith('#')) {
    return readInlined(join(folder, value.$ref));
  }
  const entries = Object.entries(value).map(async ([key, item]) => [
    key,
    await inline(item, folder),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
