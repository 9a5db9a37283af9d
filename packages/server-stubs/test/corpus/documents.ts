import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { JsonObject } from '../../generator/json.ts';

export const features = readYaml('features.yaml');
export const swagger = readYaml('swagger.yaml');

export function readYaml(name: string): JsonObject {
  return parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
}

/** Third-party documents by name, such as `3.0/petstore.json`. */
export function readPublicDocuments(): Map<string, JsonObject> {
  const petstore = import.meta.resolve('@readme/oas-examples/3.0/json/petstore.json');
  const root = join(fileURLToPath(petstore), '../../..');
  const examples = globSync('{2.0,3.0,3.1}/json/*.json', { cwd: root }).sort();
  const galaxy = fileURLToPath(import.meta.resolve('@scalar/galaxy/3.1.json'));
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  return new Map(
    examples.map((file) => [file.replace('json/', ''), read(join(root, file))] as const),
  ).set('galaxy.json', read(galaxy));
}
