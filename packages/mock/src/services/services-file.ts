import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { Watch } from '../live.ts';
import { isObject } from '../user-input.ts';
import { type FreshImport, importFresh, withoutModuleQuery } from './module-loader.ts';
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
  let loaded: FreshImport | undefined;

  async function read(watch: Watch): Promise<HostedServices> {
    loaded = importFresh(entry, watch, loaded);
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
