import { relative } from 'node:path';
import type { GenerateSettings } from './generate-into.ts';

/**
 * The command line that gives the same files again. Paths are relative, so that it is the same on
 * every machine.
 */
export function toRepairCommand(file: string, settings: GenerateSettings): string {
  const { output, handlers, basePath, runtime, importExtension } = settings;
  const options = [
    ['-o', toRelative(output)],
    ['--handlers', handlers && toRelative(handlers)],
    ['--base-path', basePath],
    ['--runtime', runtime],
    ['--import-extension', importExtension === 'ts' ? undefined : importExtension],
  ] as const;
  const words = options.flatMap(([name, value]) =>
    value === undefined ? [] : [name, quote(value)],
  );
  return ['npx berth-stubs', quote(toRelative(file)), ...words].join(' ');
}

function toRelative(path: string): string {
  return (relative(process.cwd(), path) || '.').replaceAll('\\', '/');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
