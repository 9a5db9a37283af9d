import { existsSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { type Live, type OnProblem, openLive, type Watch } from '../live.ts';
import { isObject } from '../user-input.ts';
import type { HostedServices } from './service.ts';

/** A services file, or a service in it, that cannot be used. The message says where, and how to fix it. */
export class ServicesError extends Error {
  override readonly name = 'ServicesError';
}

/** A file that waits for something at its top level must not block calls forever. */
const LOAD_SECONDS = 30;

/** Query of a module that is loaded again; the local modules that it imports get it, too. */
const QUERY = 'berth-services';

/** Returns a message or a stack with the paths of modules as they are on disk. */
export function withoutModuleQuery(text: string): string {
  return text.replaceAll(new RegExp(`\\?${QUERY}=\\d+`, 'g'), '');
}

/** Distinguishes the loads of all files of services in this process. */
let loads = 0;

/**
 * Loads a services file, whose default export has the services by name, and restarts them when the file or one that
 * it imports has changed. Modules from earlier loads stay in memory, because Node never unloads modules.
 */
export async function openServicesFile<Started>(
  path: string,
  start: (definitions: HostedServices) => Promise<Started>,
  onProblem: OnProblem,
): Promise<{ readonly services: Live<Started>; close(): void }> {
  if (!existsSync(path) || !/\.[cm]?[jt]s$/.test(path)) {
    const message = 'the file does not exist, or is neither TypeScript nor JavaScript.';
    throw new ServicesError(`${path}: ${message}`);
  }
  const entry = realpathSync(resolve(path));
  const { cache } = createRequire(entry);
  /** The files of the last load, with those that its services have imported since. */
  const files = new Set<string>();
  let query = '';
  let watch: Watch = () => {};
  const use = (file: string) => {
    files.add(file);
    watch(file);
  };
  /** Modules in CommonJS have no query: Node caches them by path. */
  const isOurs = (url = '') =>
    url.startsWith('file:') &&
    (url.includes('?') ? url.split('?')[1] === query : files.has(fileURLToPath(url)));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      // Users do not edit files inside packages.
      const isLocal = /^\.{1,2}\//.test(specifier) && isOurs(context.parentURL);
      // Before it is resolved, because a missing file may be created.
      if (isLocal) use(fileURLToPath(new URL(specifier, context.parentURL)));
      const resolved = next(specifier, context);
      if (!isLocal || context.conditions.includes('require')) return resolved;
      return { ...resolved, url: `${resolved.url}?${query}` };
    },
  });

  async function read(watcher: Watch): Promise<HostedServices> {
    loads += 1;
    query = `${QUERY}=${loads}`;
    for (const file of files) delete cache[file];
    files.clear();
    watch = watcher;
    use(entry);
    const limit = Promise.withResolvers<never>();
    const reason = `it did not load within ${LOAD_SECONDS} s: check its top-level await`;
    const timer = setTimeout(() => limit.reject(new Error(reason)), LOAD_SECONDS * 1_000);
    try {
      const loading = importModule(`${pathToFileURL(entry).href}?${query}`);
      return toServices(await Promise.race([loading, limit.promise]));
    } catch (error) {
      throw toServicesError(error, path, [...files]);
    } finally {
      clearTimeout(timer);
    }
  }

  const close = () => hooks.deregister();
  try {
    const load = async (watcher: Watch) => start(await read(watcher));
    return { services: await openLive(load, onProblem), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Node's `import()`. Test runners replace it in the modules they load, and transform what it loads. */
async function importModule(url: string): Promise<Record<string, unknown>> {
  const code = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ code);
  return load(url);
}

function toServices({ default: services }: Record<string, unknown>): HostedServices {
  if (isObject(services)) return services as HostedServices;
  throw new TypeError(
    'add a default export with the services by name, such as export default { orders: … }',
  );
}

function toServicesError(error: unknown, path: string, files: readonly string[]): ServicesError {
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
  const found = places.find(({ file }) => files.includes(file));
  const place = found === undefined ? path : `${relative(process.cwd(), found.file)}:${found.line}`;
  const hint =
    code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
      ? '. Node only strips types: use a union or an object instead'
      : '';
  const sentence = text.replace(/\.$/, '') + hint;
  return new ServicesError(`${place}: ${sentence}.`, { cause: error });
}
