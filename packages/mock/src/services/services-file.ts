import { existsSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
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

/** Query of a module in a services file: the numbers of the open file and of the load, `?berth-load=1.2`. */
const QUERY = /\?berth-load=[\d.]+/g;

/** Returns a message or a stack with the paths of modules as they are on disk. */
export function withoutModuleQuery(text: string): string {
  return text.replaceAll(QUERY, '');
}

/** A path, a URL, or an alias from the `imports` of the user's package. */
const LOCAL = /^(\.{1,2}(\/|$)|file:|#)/;

/** Users do not edit files inside packages. */
const EDITABLE = /^file:(?!.*\/node_modules\/)/;

let opened = 0;

/**
 * Opens a services file, an ES module whose default export has the services by name. Each `load` re-imports the file
 * and everything it imports, and starts the services.
 *
 * Lifecycle: one hook lasts until `close`. It passes the query of a load on from each module to those that it imports,
 * also during later calls. A version with another query has its own modules, so an invalid one leaves the previous one
 * intact. All modules stay in memory, because Node never unloads any.
 */
export function openServicesFile<Started>(
  path: string,
  start: (services: HostedServices, watch: Watch) => Promise<Started>,
) {
  assertPath(path);
  const { href } = pathToFileURL(realpathSync(resolve(path)));
  opened += 1;
  const prefix = `?berth-load=${opened}.`;
  let loads = 0;
  const files = new Set<string>();
  let watchFile: Watch = () => {};
  const add = (url: string) => {
    const file = fileURLToPath(url);
    files.add(file);
    watchFile(file);
  };
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '', conditions } = context;
      const [, query] = parentURL.split(prefix);
      // Node caches CommonJS modules by path: they load only once.
      const isReloaded = query !== undefined && !conditions.includes('require');
      if (!isReloaded || !LOCAL.test(specifier)) return next(specifier, context);
      // Before it is resolved, because a missing file may be created.
      add(new URL(specifier, parentURL).href);
      const resolved = next(specifier, context);
      if (!EDITABLE.test(resolved.url)) return resolved;
      add(resolved.url);
      return { ...resolved, url: withoutModuleQuery(resolved.url) + prefix + query };
    },
  });

  async function load(watch: Watch): Promise<Started> {
    watchFile = watch;
    loads += 1;
    add(href);
    const services = await readServices(importModule(`${href}${prefix}${loads}`), path, files);
    return start(services, watch);
  }

  return { load, close: () => hooks.deregister() };
}

function assertPath(path: string): void {
  if (ADDRESS.test(path)) throw new ServicesError(`${path}: add a name, such as shop=${path}.`);
  if (/\.c[jt]s$/.test(path)) {
    const fix = 'use an ES module, with a name such as services.mjs and an export default';
    throw new ServicesError(`${path}: the file is in CommonJS: ${fix}.`);
  }
  if (!existsSync(path)) throw new ServicesError(`${path}: the file does not exist.`);
  if (!/\.m?[jt]s$/.test(path)) {
    const fix = `An OpenAPI document needs a name, such as shop=${path}.`;
    throw new ServicesError(`${path}: the file is neither TypeScript nor JavaScript. ${fix}`);
  }
}

type Module = Readonly<Record<string, unknown>>;

/** Node's `import()`. Test runners replace it in the modules they load, and transform what it loads. */
async function importModule(url: string): Promise<Module> {
  const code = 'data:text/javascript,export default (url) => import(url)';
  const { default: load } = await import(/* @vite-ignore */ code);
  return load(url);
}

async function readServices(
  module: Promise<Module>,
  path: string,
  files: ReadonlySet<string>,
): Promise<HostedServices> {
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

function toServices({ default: services }: Module): HostedServices {
  if (isRecord(services)) return services as HostedServices;
  throw new TypeError(
    'add a default export with the services by name, such as export default { orders: … }',
  );
}

/** A `file:` URL or a path, which may begin with a drive, and a line. */
const PLACE = /((?:file:\/\/)?(?:[a-z]:)?[\\/](?:[^:()\n]|:(?=[\\/]))+):(\d+)/gi;

function toServicesError(error: unknown, path: string, files: ReadonlySet<string>): ServicesError {
  if (!(error instanceof Error)) return new ServicesError(`${path}: it threw ${inspect(error)}.`);
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const [text = '', trace = ''] = [`${name}: ${message}`, stack].map(withoutModuleQuery);
  // The stack of a syntax error begins with its location, as a path and not as a `file:` URL.
  const toPath = (place = '') => (place.startsWith('file:') ? fileURLToPath(place) : place);
  const places = trace.matchAll(PLACE);
  const [, file, line] = places.find(([, place]) => files.has(toPath(place))) ?? [];
  const place = file === undefined ? path : `${relative(process.cwd(), toPath(file))}:${line}`;
  const hint =
    code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
      ? '. Node only strips types: use a union or an object instead'
      : '';
  const sentence = text.replace(/\.$/, '') + hint;
  return new ServicesError(`${place}: ${sentence}.`, { cause: error });
}
