import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../workflows');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.arazzo.yaml'));

// Arazzo 1.0.1, Step Object. Otherwise Respect looks in whichever document it has read first.
it.each(files)('%s names the document of each operation if it has several', (file) => {
  const { sourceDescriptions, workflows } = parse(readFileSync(join(FOLDER, file), 'utf8'));
  const steps: { operationId?: string }[] = workflows.flatMap(({ steps }: { steps: [] }) => steps);
  const ids = steps.flatMap(({ operationId }) => operationId ?? []);
  const [{ name }] = sourceDescriptions;
  expect(ids).not.toEqual([]);
  if (sourceDescriptions.length === 1) return;
  expect(ids.filter((id) => !id.startsWith(`$sourceDescriptions.${name}.`))).toEqual([]);
});
