import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

const SPEC = new URL('../../', import.meta.url);

export async function readRules(_documents?: Record<string, unknown>) {
  const index = parse(await readFile(new URL('rules/index.yaml', SPEC), 'utf8'));
  const lists = await Promise.all(
    index.files.map(async (file: string) =>
      parse(await readFile(new URL(`rules/${file}`, SPEC), 'utf8')),
    ),
  );
  return { version: index.version, documents: index.documents, rules: lists.flat() };
}
