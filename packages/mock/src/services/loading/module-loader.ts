import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Query by which a module is loaded anew, though Node keeps every module that it has loaded. */
const TAG = 'berth-services';
/** Query by which JavaScript is read as TypeScript, whose parser says where it fails. */
const AS_TYPESCRIPT = 'as=ts';

/** Loads modules that change: each load is of what the files hold then. */
export interface ModuleLoader {
  /** Loads files and what they import by relative paths, all of one state. */
  load(paths: readonly string[]): Promise<readonly Loaded[]>;
  /** Files that the last load has read. */
  readonly files: ReadonlySet<string>;
  close(): void;
}

export type Loaded = { readonly path: string } & (
  | { readonly module: Readonly<Record<string, unknown>> }
  | { readonly error: unknown }
);

let loads = 0;

/**
 * Modules of earlier loads stay in memory, for Node never lets go of one: a file of 100 lines takes some
 * 80 KiB each time.
 */
export function createModuleLoader(): ModuleLoader {
  let tag = '';
  let files = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      // What a package has inside is not the user's to change.
      if (!isOf(context.parentURL, tag) || !/^\.{1,2}\//.test(specifier)) return resolved;
      if (!resolved.url.startsWith('file:')) return resolved;
      files.add(fileURLToPath(resolved.url));
      return { ...resolved, url: `${resolved.url}?${tag}` };
    },
    load(url, context, next) {
      if (!isOf(url, tag) || !url.endsWith(AS_TYPESCRIPT)) return next(url, context);
      return next(url, { ...context, format: 'module-typescript' });
    },
  });

  async function loadOne(path: string): Promise<Loaded> {
    const url = `${pathToFileURL(path).href}?${tag}`;
    files.add(path);
    try {
      return { path, module: await importNow(url) };
    } catch (error) {
      if (!(error instanceof SyntaxError) || 'code' in error) return { path, error };
      return importNow(`${url}&${AS_TYPESCRIPT}`).then(
        () => ({ path, error }),
        (better: unknown) => ({ path, error: better }),
      );
    }
  }

  return {
    async load(paths) {
      loads += 1;
      tag = `${TAG}=${loads}`;
      files = new Set();
      const loaded: Loaded[] = [];
      for (const path of paths) loaded.push(await loadOne(path));
      return loaded;
    },
    get files() {
      return files;
    },
    close: () => hooks.deregister(),
  };
}

/**
 * Node's own `import()`: test runners put theirs in place of one that they read, and what they load is of
 * their making.
 */
async function importNow(url: string): Promise<Record<string, unknown>> {
  const own = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ own);
  return load(url);
}

function isOf(url: string | undefined, tag: string): boolean {
  return url?.split('?')[1]?.split('&')[0] === tag && tag !== '';
}

/** Text of an error without the queries of this loader. */
export function withoutTags(text: string): string {
  return text.replace(new RegExp(`\\?${TAG}=\\d+(&${AS_TYPESCRIPT})?`, 'g'), '');
}
