import { existsSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { type FileEvents, FileWatch } from '../files.ts';
import { isObject } from '../util/values.ts';
import { ServicesError } from './running-service.ts';
import type { HostedServices } from './service.ts';

/** A services file, which is loaded again when it or a file that it imports has changed. */
export interface ServicesFile {
  /** Returns the services: the same object while nothing has changed. Never rejects. */
  current(): HostedServices | Promise<HostedServices>;
  close(): void;
}

/**
 * Loads a services file, whose default export has the services by name.
 *
 * @throws ServicesError that names the file, and the line if Node does
 */
export async function openServicesFile(
  path: string,
  { onReload, onProblem }: FileEvents = {},
): Promise<ServicesFile> {
  if (!existsSync(path)) {
    throw new ServicesError(`${path}: There is no such file of services: check its path.`);
  }
  if (!/\.[cm]?[jt]s$/.test(path)) {
    throw new ServicesError(
      `${path}: The services must be a file in TypeScript or JavaScript, such as ./services.ts.`,
    );
  }
  const loader = createLoader(realpathSync(resolve(path)));
  const load = async () => {
    try {
      return toServices(await withinLimit(loader.load()));
    } catch (error) {
      throw toError(error, path, loader.files());
    }
  };
  let current: HostedServices;
  try {
    current = await load();
  } catch (error) {
    loader.close();
    throw error;
  }
  let files = loader.files();
  let watch = new FileWatch(files);
  let loading: Promise<HostedServices> | undefined;

  async function reload(): Promise<HostedServices> {
    // What changes while it is loaded is loaded again.
    watch = new FileWatch(files);
    try {
      current = await load();
      onReload?.(path);
    } catch (error) {
      onProblem?.((error as Error).message);
    }
    const added = loader.files().filter((file) => !files.includes(file));
    if (added.length > 0) {
      files = [...files, ...added];
      watch = new FileWatch(files);
    }
    loading = undefined;
    return current;
  }

  return {
    current() {
      if (loading === undefined && watch.isStale()) loading = reload();
      return loading ?? current;
    },
    close: loader.close,
  };
}

const LOAD_SECONDS = 30;

/** A file that waits for something at its top level must not block calls forever. */
async function withinLimit<Value>(loading: Promise<Value>): Promise<Value> {
  const limit = Promise.withResolvers<never>();
  const message = `it has not been loaded within ${LOAD_SECONDS} s: do not wait at the top level`;
  const timer = setTimeout(() => limit.reject(new Error(message)), LOAD_SECONDS * 1_000);
  try {
    return await Promise.race([loading, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Query of a module that is loaded again; the local modules that it imports get it, too. */
const QUERY = 'berth-services';

/** Distinguishes the loads of all files of services in this process. */
let loads = 0;

/**
 * Loads a module and the local modules that it imports, again each time. Those from earlier loads stay in memory,
 * because Node never unloads modules.
 */
function createLoader(path: string) {
  let query = '';
  let files = new Set([path]);
  const isOurs = (url: string | undefined) => url?.split('?')[1] === query;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      // Users do not edit files inside packages.
      const isLocal = /^\.{1,2}\//.test(specifier) && isOurs(context.parentURL);
      // Before it is resolved, because a missing file may be created.
      if (isLocal) files.add(fileURLToPath(new URL(specifier, context.parentURL)));
      const resolved = next(specifier, context);
      return isLocal ? { ...resolved, url: `${resolved.url}?${query}` } : resolved;
    },
  });
  return {
    load() {
      loads += 1;
      query = `${QUERY}=${loads}`;
      files = new Set([path]);
      return importModule(`${pathToFileURL(path).href}?${query}`);
    },
    /** The files that the last load has read. */
    files: () => [...files],
    close: () => hooks.deregister(),
  };
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

/** @param files the files in which the cause may be */
function toError(error: unknown, path: string, files: readonly string[]): ServicesError {
  if (!(error instanceof Error)) return new ServicesError(`${path}: It throws ${inspect(error)}.`);
  const { name, message, stack = '', code } = error as NodeJS.ErrnoException;
  const [text = '', trace = ''] = [`${name}: ${message}`, stack].map((part) =>
    part.replace(/\?berth-services=\d+/g, ''),
  );
  // Errors of syntax have their place in the first line of the stack, which has no `file:`.
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
  return new ServicesError(`${place}: ${text}${hint}.`, { cause: error });
}
