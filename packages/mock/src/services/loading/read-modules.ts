import { readFile, realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import type { SourceFile } from './list-files.ts';
import { locateError } from './locate-error.ts';
import { locateInText } from './locate-in-text.ts';
import { type Loaded, type ModuleLoader, withoutTags } from './module-loader.ts';
import type { ReadFile } from './read-yaml.ts';
import type { ServiceFault } from './service-fault.ts';

/** Loads modules anew, and what each exports. */
export async function readModules(
  files: readonly SourceFile[],
  loader: ModuleLoader,
): Promise<readonly (ReadFile | ServiceFault[])[]> {
  const paths = await Promise.all(files.map(({ path }) => realpath(path)));
  const loaded = await loader.load(paths);
  return Promise.all(
    loaded.map(async (result, at) => toRead(result, files[at] as SourceFile, loader)),
  );
}

async function toRead(
  loaded: Loaded,
  { path: file, name }: SourceFile,
  { files }: ModuleLoader,
): Promise<ReadFile | ServiceFault[]> {
  const text = await readFile(loaded.path, 'utf8');
  if ('error' in loaded) {
    const { error } = loaded;
    const message = describe(error);
    const place = locateError(error, files);
    if (place === undefined) return [{ file, ...placeOfImport(text, message), message }];
    const shown = place.file === loaded.path ? file : relative(process.cwd(), place.file);
    return [{ ...place, file: shown, message }];
  }
  const { default: value } = loaded.module;
  if (value === undefined) {
    const write = name === undefined ? 'defineServices' : 'defineService';
    const message = `There is no default export; write: export default ${write}({ … }).`;
    return [{ file, line: 1, column: 1, message }];
  }
  return { value, locate: (problem) => locateInText(text, problem) };
}

/** A module that is not found is told by its path alone. */
function placeOfImport(
  text: string,
  message: string,
): { line: number; column: number } | undefined {
  const [, path] = /Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  const name = path?.split('/').at(-1);
  const lines = text.split('\n');
  const at = name === undefined ? -1 : lines.findIndex((line) => line.includes(name));
  return at < 0
    ? undefined
    : { line: at + 1, column: (lines[at] as string).indexOf(name as string) + 1 };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `The module threw ${String(error)}.`;
  return `${error.name}: ${withoutTags(error.message).replace(/\.?$/, '.')}${hintOf(error)}`;
}

function hintOf({ message, code }: NodeJS.ErrnoException): string {
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return ' Node leaves types out and does nothing more: write a union or an object instead.';
  }
  return message === 'Cannot use import statement outside a module' ||
    message === "Unexpected token 'export'"
    ? ' Node takes it for CommonJS: write "type": "module" in package.json, or name the file .mts or .mjs.'
    : '';
}
