import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../defaults');

/** All files of `spec/defaults`, as one object with a property a file (`gateway-errors.yaml` → `gatewayErrors`). */
export async function readDefaults(): Promise<Record<string, unknown>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.yaml')).sort();
  const entries = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8');
    return [toCamelCase(basename(file, '.yaml')), parse(text)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function toCamelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
