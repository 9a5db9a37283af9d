import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { JsonObject } from '../../generator/openapi.ts';

export interface PublicDocument {
  readonly name: string;
  readonly document: JsonObject;
}

export const features = readYaml('features.yaml');
export const swagger = readYaml('swagger.yaml');

export function readYaml(name: string): JsonObject {
  return parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
}

/** Third-party documents: all in two packages. */
export function readPublicDocuments(): PublicDocument[] {
  return [...readFolder('2.0'), ...readFolder('3.0'), ...readFolder('3.1'), readGalaxy()];
}

function readFolder(version: string): PublicDocument[] {
  const root = fileURLToPath(import.meta.resolve('@readme/oas-examples/3.0/json/petstore.json'));
  const folder = join(root, '../../..', version, 'json');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({
      name: `${version}/${file}`,
      document: JSON.parse(readFileSync(join(folder, file), 'utf8')),
    }));
}

function readGalaxy(): PublicDocument {
  const file = fileURLToPath(import.meta.resolve('@scalar/galaxy/3.1.json'));
  return { name: 'galaxy.json', document: JSON.parse(readFileSync(file, 'utf8')) };
}
