import { realpathSync, statSync } from 'node:fs';
import { type ResolveHookSync, registerHooks } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { describeMissing, type Watch } from '../live.ts';
import { isRecord } from '../user-input.ts';
import type { HostedServices } from './service.ts';
import { ADDRESS } from './url-service.ts';

/** A services file, or a service in it, that cannot be used. The message says where, and how to fix it. */
export class ServicesError extends Error {
  override readonly name = 'ServicesError';
}

/** A file that waits for something at its top level must not block calls forever. */
const LOAD_SECONDS = 30;

/** Query of a module: the number of its load, `?berth-load=1`. */
const QUERY = /\?berth-load=(\d+)/;

/** Returns a message or a stack with the paths of modules as they are on disk. */
export function withoutModuleQuery(text: string): string {
  return text.replaceAll(new RegExp(QUERY, 'g'), '');
}

/** What each load does with the path of a file that it imports. */
const listeners: Watch[] = [];

/**
 * Opens a services file, an ES module whose default export has the services by name. Returns a function that re-imports
 * the file and everything it imports, and starts the services.
 *
 * Lifecycle: one hook for all loads passes the query of a module on to those that it imports, also during later calls.
 * Each version has its own query, so Node loads its modules separately: if it is invalid, the previous version still
 * works. Neither the hook nor a module is ever removed, because Node never unloads modules.
 */
export function openServicesFile<Started>(
  path: string,
  start: (services: HostedServices, watch: Watch, folder: string) => Promise<Started>,
): (watch: Watch) => Promise<Started> {
  assertPath(path);
  const file = realpathSync(resolve(path));
  const files = new Set<string>();

  return async (watch) => {
    if (listeners.length === 0) registerHooks({ resolve: resolveModule });
    const onFile: Watch = (imported) => {
      files.add(imported);
      watch(imported);
    };
    const number = listeners.push(onFile) - 1;
    onFile(file);
    const module = importModule(`${pathToFileURL(file).href}?berth-load=${number}`);
    return start(await readServices(module, path, files), watch, dirname(file));
  };
}

/** A path, a URL, or an alias from the `imports` of the user's package. */
const LOCAL = /^(\.{1,2}(\/|$)|file:|#)/;

/** Users do not edit files inside packages. */
const EDITABLE = /^file:(?!.*\/node_modules\/)/;

const resolveModule: ResolveHookSync = (specifier, context, next) => {
  const { parentURL = '', conditions } = context;
  const [query, number] = QUERY.exec(parentURL) ?? [];
  const onFile = listeners[Number(number)];
  // Node caches CommonJS modules by path: they load only once.
  const isReloaded = LOCAL.test(specifier) && !conditions.includes('require');
  if (onFile === undefined || !isReloaded) return next(specifier, context);
  // Before it is resolved, because a missing file may be created.
  onFile(fileURLToPath(new URL(specifier, parentURL)));
  const resolved = next(specifier, context);
  if (!EDITABLE.test(resolved.url)) return resolved;
  onFile(fileURLToPath(resolved.url));
  return { ...resolved, url: withoutModuleQuery(resolved.url) + query };
};

function assertPath(path: string): void {
  if (ADDRESS.test(path)) throw new ServicesError(`${path}: add a name, such as shop=${path}.`);
  if (/\.c[jt]s$/.test(path)) {
    const fix = 'use an ES module, with a name such as services.mjs and an export default';
    throw new ServicesError(`${path}: the file is in CommonJS: ${fix}.`);
  }
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
  if (!isFile) throw new ServicesError(describeMissing(path));
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
    const { default: services } = await Promise.race([module, limit.promise]);
    if (isRecord(services)) return services as HostedServices;
    const example = 'export default { orders: … }';
    throw new TypeError(`add a default export with the services by name, such as ${example}`);
  } catch (error) {
    throw toServicesError(error, path, files);
  } finally {
    clearTimeout(timer);
  }
}

/** A `file:` URL or a path, which may begin with a drive, and a line. */
const PLACE = /((?:file:\/\/)?(?:[a-z]:)?[\\/](?:[^:()\n]|:(?=[\\/]))+):(\d+)/gi;

function toServicesError(error: unknown, path: string, files: ReadonlySet<string>): ServicesError {
  if (!(error instanceof Error)) return new ServicesError(`${path}: it threw ${inspect(error)}.`);
  const { name, message, stack = '' } = error;
  const [text = '', trace = ''] = [`${name}: ${message}`, stack].map(withoutModuleQuery);
  // The stack of a syntax error begins with its location, as a path and not as a `file:` URL.
  const toPath = (place = '') => (place.startsWith('file:') ? fileURLToPath(place) : place);
  const places = trace.matchAll(PLACE);
  const [, file, line] = places.find(([, place]) => files.has(toPath(place))) ?? [];
  const place = file === undefined ? path : `${relative(process.cwd(), toPath(file))}:${line}`;
  const sentence = text.replace(/\.$/, '') + toFix(error);
  return new ServicesError(`${place}: ${sentence}.`, { cause: error });
}

function toFix({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return '. Node only strips types: use a union or an object instead';
  }
  const isCommonJs = /^(Unexpected token 'export'|Cannot use import statement)/.test(message);
  return isCommonJs ? '. Rename the file to .mts, or set "type": "module" in package.json' : '';
}
