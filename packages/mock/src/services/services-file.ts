import { existsSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Watch } from '../live.ts';
import { isObject } from '../user-input.ts';
import type { HostedServices } from './service.ts';

/** A services file, or a service in it, that cannot be used. The message says where, and how to fix it. */
export class ServicesError extends Error {
  override readonly name = 'ServicesError';
}

/** A file that waits for something at its top level must not block calls forever. */
const LOAD_SECONDS = 30;

/**
 * Opens a services file, whose default export has the services by name. Each `read` loads the file and those that it imports
 * again. Modules from earlier loads stay in memory, because Node never unloads modules.
 */
export function openServicesFile(path: string) {
  if (!existsSync(path)) throw new ServicesError(`${path}: the file does not exist.`);
  if (!/\.[cm]?[jt]s$/.test(path)) {
    const fix = `An OpenAPI document needs a name, such as shop=${path}.`;
    throw new ServicesError(`${path}: the file is neither TypeScript nor JavaScript. ${fix}`);
  }
  const entry = realpathSync(resolve(path));
  let loaded: ReturnType<typeof importFresh> | undefined;

  async function read(watch: Watch): Promise<HostedServices> {
    loaded?.close();
    loaded = importFresh(entry, watch);
    const { module, files } = loaded;
    const limit = Promise.withResolvers<never>();
    const reason = `it did not load within ${LOAD_SECONDS} s: check its top-level await`;
    const timer = setTimeout(() => limit.reject(new Error(reason)), LOAD_SECONDS * 1_000);
    try {
      return toServices(await Promise.race([module, limit.promise]));
    } catch (error) {
      throw toServicesError(error, path, files);
    } finally {
      clearTimeout(timer);
    }
  }

  return { read, close: () => loaded?.close() };
}

function toServices({ default: services }: Record<string, unknown>): HostedServices {
  if (isObject(services)) return services as HostedServices;
  throw new TypeError(
    'add a default export with the services by name, such as export default { orders: … }',
  );
}

function toServicesError(error: unknown, path: string, files: ReadonlySet<string>): ServicesError {
  if (!(error instanceof Error)) return new ServicesError(`${path}: it threw ${inspect(error)}.`);
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const [text = '', trace = ''] = [`${name}: ${message}`, stack].map(withoutModuleQuery);
  // The stack of a syntax error begins with its location, as a path and not as a `file:` URL.
  const places = Array.from(
    trace.matchAll(/((?:file:\/\/)?\/[^:()\n]+):(\d+)/g),
    ([, file = '', line]) => ({
      file: file.startsWith('file:') ? fileURLToPath(file) : file,
      line,
    }),
  );
  const found = places.find(({ file }) => files.has(file));
  const place = found === undefined ? path : `${relative(process.cwd(), found.file)}:${found.line}`;
  const hint =
    code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
      ? '. Node only strips types: use a union or an object instead'
      : '';
  const sentence = text.replace(/\.$/, '') + hint;
  return new ServicesError(`${place}: ${sentence}.`, { cause: error });
}

/** Query of a module that is loaded again; the local modules that it imports get it, too. */
const QUERY = 'berth-load';

/** Returns a message or a stack with the paths of modules as they are on disk. */
export function withoutModuleQuery(text: string): string {
  return text.replaceAll(new RegExp(`\\?${QUERY}=\\d+`, 'g'), '');
}

/** A path, a URL, or an alias from the `imports` of the user's package. */
const LOCAL = /^(\.{1,2}(\/|$)|file:|#)/;

/** Users do not edit files inside packages. */
const EDITABLE = /^file:(?!.*\/node_modules\/)/;

/** Distinguishes all loads in this process. */
let loads = 0;

/** Imports a module again, by its real path, with the user's modules that it imports, now or later, and watches them. */
function importFresh(entry: string, watch: Watch) {
  loads += 1;
  const query = `${QUERY}=${loads}`;
  const files = new Set<string>();
  const add = (file: string) => {
    files.add(file);
    watch(file);
  };
  const isOurs = (url = '') =>
    url.startsWith('file:') &&
    (url.includes('?') ? url.split('?')[1] === query : files.has(fileURLToPath(url)));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isLocal = LOCAL.test(specifier) && isOurs(context.parentURL);
      // Before it is resolved, because a missing file may be created.
      if (isLocal) add(fileURLToPath(new URL(specifier, context.parentURL)));
      const resolved = next(specifier, context);
      if (!isLocal || !EDITABLE.test(resolved.url)) return resolved;
      // `require` accepts a path without its extension, and a folder.
      add(fileURLToPath(resolved.url));
      if (context.conditions.includes('require')) return resolved;
      return { ...resolved, url: `${resolved.url}?${query}` };
    },
  });
  add(entry);
  const module = importModule(`${pathToFileURL(entry).href}?${query}`);
  const close = () => {
    hooks.deregister();
    // Modules in CommonJS have no query: Node caches them by path.
    const { cache } = createRequire(entry);
    for (const file of files) delete cache[file];
  };
  return { module, files, close };
}

/** Node's `import()`. Test runners replace it in the modules they load, and transform what it loads. */
async function importModule(url: string): Promise<Record<string, unknown>> {
  const code = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ code);
  return load(url);
}
