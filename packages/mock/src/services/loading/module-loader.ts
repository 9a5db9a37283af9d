import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  AS_TYPESCRIPT,
  isBuiltIn,
  RELOAD,
  registerTypeScript,
  takeImports,
} from '../../typescript.js';

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

/** Files that each load has read, by the query that Node keeps its modules by. */
const loads = new Map<string, Set<string>>();
let count = 0;

/**
 * Modules of earlier loads stay in memory, for Node never lets go of one: a file of 100 lines takes some
 * 80 KiB each time.
 */
export function createModuleLoader(): ModuleLoader {
  let query = '';
  const hooks = isBuiltIn ? registerHooks(() => query) : undefined;
  registerTypeScript();

  async function loadOne(path: string): Promise<Loaded> {
    const url = `${pathToFileURL(path).href}?${query}`;
    loads.get(query)?.add(path);
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
      loads.delete(query);
      count += 1;
      query = `${RELOAD}=${count}`;
      loads.set(query, new Set());
      const loaded: Loaded[] = [];
      for (const path of paths) loaded.push(await loadOne(path));
      return loaded;
    },
    get files() {
      for (const { url, query } of takeImports()) loads.get(query)?.add(fileURLToPath(url));
      return loads.get(query) ?? new Set();
    },
    close() {
      loads.delete(query);
      hooks?.deregister();
    },
  };
}

/** What `typescript.js` does on older versions of Node, in this thread. */
function registerHooks(currentQuery: () => string): module.ModuleHooks {
  const isOf = (url: string | undefined) => url?.split('?')[1]?.split('&')[0] === currentQuery();
  return module.registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      // What a package has inside is not the user's to change.
      if (!isOf(context.parentURL) || !/^\.{1,2}\//.test(specifier)) return resolved;
      if (!resolved.url.startsWith('file:')) return resolved;
      loads.get(currentQuery())?.add(fileURLToPath(resolved.url));
      return { ...resolved, url: `${resolved.url}?${currentQuery()}` };
    },
    load(url, context, next) {
      if (!isOf(url) || !url.endsWith(AS_TYPESCRIPT)) return next(url, context);
      return next(url, { ...context, format: 'module-typescript' });
    },
  });
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

/** Text of an error without the queries of this loader. */
export function withoutTags(text: string): string {
  return text.replace(new RegExp(`\\?${RELOAD}=\\d+(&${AS_TYPESCRIPT})?`, 'g'), '');
}
