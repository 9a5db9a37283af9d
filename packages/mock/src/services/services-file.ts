import { existsSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Watch } from '../live.ts';
import { isRecord } from '../user-input.ts';
import type { HostedServices } from './service.ts';
import { ADDRESS } from './url-service.ts';

/** A services file, or a service in it, that cannot be used. The message says where, and how to fix it. */
export class ServicesError extends Error {
  override readonly name = 'ServicesError';
}

/** A file that waits for something at its top level must not block calls forever. */
const LOAD_SECONDS = 30;

/**
 * Opens a services file, whose default export has the services by name. Each `load` imports the file and those that it imports
 * again, and starts the services. Modules from earlier loads stay in memory, because Node never unloads modules.
 */
export function openServicesFile<Started>(
  path: string,
  start: (services: HostedServices, watch: Watch) => Promise<Started>,
) {
  if (ADDRESS.test(path)) throw new ServicesError(`${path}: add a name, such as shop=${path}.`);
  if (!existsSync(path)) throw new ServicesError(`${path}: the file does not exist.`);
  if (!/\.[cm]?[jt]s$/.test(path)) {
    const fix = `An OpenAPI document needs a name, such as shop=${path}.`;
    throw new ServicesError(`${path}: the file is neither TypeScript nor JavaScript. ${fix}`);
  }
  const entry = realpathSync(resolve(path));
  /** The last version whose services have started. It may import more modules during calls. */
  let current: Load | undefined;
  let loading: Load | undefined;

  async function load(watch: Watch): Promise<Started> {
    const cached = current?.uncache();
    loading = importFresh(entry, watch);
    try {
      const started = await start(await readServices(loading, path), watch);
      current?.hooks.deregister();
      current = loading;
      return started;
    } catch (error) {
      loading.close();
      Object.assign(createRequire(entry).cache, cached);
      throw error;
    }
  }

  function close(): void {
    current?.close();
    loading?.close();
  }

  return { load, close };
}

async function readServices({ module, files }: Load, path: string): Promise<HostedServices> {
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

function toServices({ default: services }: Record<string, unknown>): HostedServices {
  if (isRecord(services)) return services as HostedServices;
  throw new TypeError(
    'add a default export with the services by name, such as export default { orders: … }',
  );
}

function toServicesError(error: unknown, path: string, files: ReadonlySet<string>): ServicesError {
  if (!(error instanceof Error)) return new ServicesError(`${path}: it threw ${inspect(error)}.`);
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const [text = '', trace = ''] = [`${name}: ${message}`, stack].map(withoutModuleQuery);
  // The stack of a syntax error begins with its location, as a path and not as a `file:` URL.
  const toPath = (text = '') => (text.startsWith('file:') ? fileURLToPath(text) : text);
  const places = trace.matchAll(/((?:file:\/\/)?\/[^:()\n]+):(\d+)/g);
  const [, file, line] = places.find(([, text]) => files.has(toPath(text))) ?? [];
  const place = file === undefined ? path : `${relative(process.cwd(), toPath(file))}:${line}`;
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

type Load = ReturnType<typeof importFresh>;

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
      // From CommonJS, the hook of the version before has already added its own.
      return { ...resolved, url: `${withoutModuleQuery(resolved.url)}?${query}` };
    },
  });
  add(entry);
  const module = importModule(`${pathToFileURL(entry).href}?${query}`);
  /** Modules in CommonJS have no query: Node caches them by path. Returns those that it had. */
  const uncache = () => {
    const { cache } = createRequire(entry);
    const cached = Array.from(files, (file) => [file, cache[file]] as const);
    for (const file of files) delete cache[file];
    return Object.fromEntries(cached.filter(([, module]) => module !== undefined));
  };
  const close = () => {
    hooks.deregister();
    uncache();
  };
  return { module, files, hooks, uncache, close };
}

/** Node's `import()`. Test runners replace it in the modules they load, and transform what it loads. */
async function importModule(url: string): Promise<Record<string, unknown>> {
  const code = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ code);
  return load(url);
}
