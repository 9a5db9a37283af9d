import { readFile, realpath } from 'node:fs/promises';
import module from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ServiceFault } from '../services.ts';
import type { SourceFile } from './folders.ts';

/** Query of modules that are loaded again; their relative imports get it too. */
const RELOAD = 'berth-services';

type Loaded = { readonly path: string } & (
  | { readonly module: Readonly<Record<string, unknown>> }
  | { readonly error: unknown }
);

export type ModuleLoader = ReturnType<typeof createModuleLoader>;

/** Files read during each load, by the query under which Node caches their modules. */
const loads = new Map<string, Set<string>>();

let count = 0;

/**
 * Creates a module loader. Modules from earlier loads stay in memory, because Node never unloads them: each
 * load of a 100-line file uses about 80 KiB.
 */
export function createModuleLoader() {
  let query = '';
  const hooks = registerHooks(() => query);

  async function loadOne(path: string): Promise<Loaded> {
    const url = `${pathToFileURL(path).href}?${query}`;
    loads.get(query)?.add(path);
    try {
      return { path, module: await importNow(url) };
    } catch (error) {
      return { path, error };
    }
  }

  return {
    /** Loads files and their relative imports, all at the same version. */
    async load(paths: readonly string[]): Promise<readonly Loaded[]> {
      loads.delete(query);
      count += 1;
      query = `${RELOAD}=${count}`;
      loads.set(query, new Set());
      const loaded: Loaded[] = [];
      for (const path of paths) loaded.push(await loadOne(path));
      return loaded;
    },
    /** Files read during the last load. */
    get files(): ReadonlySet<string> {
      return loads.get(query) ?? new Set();
    },
    close() {
      loads.delete(query);
      hooks.deregister();
    },
  };
}

/** Gives the relative imports of a module its query, and notes their files. */
function registerHooks(currentQuery: () => string): module.ModuleHooks {
  const isOf = (url: string | undefined) => url?.split('?')[1] === currentQuery();
  return module.registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      // Users do not edit files inside packages.
      if (!isOf(context.parentURL) || !/^\.{1,2}\//.test(specifier)) return resolved;
      if (!resolved.url.startsWith('file:')) return resolved;
      loads.get(currentQuery())?.add(fileURLToPath(resolved.url));
      return { ...resolved, url: `${resolved.url}?${currentQuery()}` };
    },
  });
}

/** Node's own `import()`. Test runners replace it in the modules they load, and transform what it loads. */
async function importNow(url: string): Promise<Record<string, unknown>> {
  const own = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ own);
  return load(url);
}

/** The default export of a module, or why there is none. */
interface Read {
  readonly value?: unknown;
  readonly fault?: ServiceFault;
}

/** Reloads modules and returns their exports. */
export async function readModules(
  files: readonly SourceFile[],
  loader: ModuleLoader,
): Promise<readonly Read[]> {
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
): Promise<Read> {
  if ('error' in loaded) {
    const { error } = loaded;
    const message = describe(error);
    const place = locateError(error, files);
    if (place === undefined) {
      const text = await readFile(loaded.path, 'utf8');
      return { fault: { file, ...placeOfImport(text, message), message } };
    }
    const shown = place.file === loaded.path ? file : relative(process.cwd(), place.file);
    return { fault: { ...place, file: shown, message } };
  }
  const { default: value } = loaded.module;
  if (value === undefined) {
    const write = name === undefined ? 'defineServices' : 'defineService';
    const message = `There is no default export. Add: export default ${write}({ … }).`;
    return { fault: { file, line: 1, column: 1, message } };
  }
  return { value };
}

/** A module that is not found is identified only by its path. */
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

/** Removes this loader's queries from an error message. */
function withoutTags(text: string): string {
  return text.replace(new RegExp(`\\?${RELOAD}=\\d+`, 'g'), '');
}

function hintOf({ message, code }: NodeJS.ErrnoException): string {
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return ' Node only strips types: use a union or an object instead.';
  }
  return message === 'Cannot use import statement outside a module' ||
    message === "Unexpected token 'export'"
    ? ' Node treats it as CommonJS: set "type": "module" in package.json, or use the extension .mts or .mjs.'
    : '';
}

/** Returns the first of the given files in the stack of an error. */
function locateError(error: unknown, files: ReadonlySet<string>) {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  const lines = withoutTags(error.stack).split('\n');
  for (const [at, text] of lines.entries()) {
    const [, path = '', line, column] =
      /(?:^|\(|at )((?:file:\/\/)?\/[^:]*?):(\d+)(?::(\d+))?\)?$/.exec(text) ?? [];
    const file = path.startsWith('file:') ? fileURLToPath(path) : path;
    if (!files.has(file)) continue;
    // Node prints a caret below the line that it cannot parse.
    const arrow = column === undefined ? arrowOf(lines.slice(at + 1)) : Number(column);
    return { file, line: Number(line), ...(arrow !== undefined && { column: arrow }) };
  }
  return undefined;
}

function arrowOf(lines: readonly string[]): number | undefined {
  const arrow = lines.find((line) => /^ *\^+ *$/.test(line));
  return arrow === undefined ? undefined : arrow.indexOf('^') + 1;
}
