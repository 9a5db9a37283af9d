// Lets Node run TypeScript if it cannot do so itself (Node 20, and 22 before 22.18), using the same code
// that Node uses internally. This file is plain JavaScript, because on such a version nothing else can
// run before it. The first part runs in the calling thread, the second in Node's hooks thread.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

const require = createRequire(import.meta.url);

/** Query of modules that are loaded again; their relative imports get it too. */
export const RELOAD = 'berth-services';
/** Query that makes the TypeScript parser read JavaScript, because it reports error locations. */
export const AS_TYPESCRIPT = 'as=ts';

/** Whether Node has both type stripping and hooks in the calling thread. */
export const isBuiltIn = Boolean(process.features.typescript) && module.registerHooks !== undefined;

/** @type {import('node:worker_threads').MessagePort | undefined} */
let imports;

/**
 * Makes `import()` support TypeScript on every version of Node.
 *
 * @param {string} [cache] folder in which to cache the output, by source
 */
export function registerTypeScript(cache) {
  if (isBuiltIn || imports !== undefined) return;
  const { port1, port2 } = new MessageChannel();
  module.register(import.meta.url, { data: { port: port2, cache }, transferList: [port2] });
  port1.unref();
  imports = port1;
}

/**
 * Yields the imports of modules with the query `RELOAD` since the last call.
 *
 * @returns {Generator<{ url: string, query: string }>}
 */
export function* takeImports() {
  // The hook posts each import before it continues, so none is missing here.
  while (imports !== undefined) {
    const received = receiveMessageOnPort(imports);
    if (received === undefined) return;
    yield received.message;
  }
}

/** @type {{ port?: import('node:worker_threads').MessagePort, cache?: string }} */
let settings = {};

/** @type {module.InitializeHook<typeof settings>} */
export function initialize(data) {
  settings = data;
}

/** @type {module.ResolveHook} */
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const [, query] = /\?([^&]+)/.exec(context.parentURL ?? '') ?? [];
  if (!query?.startsWith(`${RELOAD}=`) || !/^\.{1,2}\//.test(specifier)) return resolved;
  if (!resolved.url.startsWith('file:')) return resolved;
  settings.port?.postMessage({ url: resolved.url, query });
  return { ...resolved, url: `${resolved.url}?${query}` };
}

/** @type {module.LoadHook} */
export async function load(url, context, next) {
  const [path = '', query = ''] = url.split('?');
  const isTypeScript = /\.m?ts$/.test(path) || query.endsWith(AS_TYPESCRIPT);
  if (!isTypeScript || !path.startsWith('file:')) return next(url, context);
  const text = readFileSync(fileURLToPath(path), 'utf8');
  return { format: formatOf(path), source: stripOnce(text, url), shortCircuit: true };
}

/**
 * @param {string} source
 * @param {string} url
 */
function stripOnce(source, url) {
  const { cache } = settings;
  if (cache === undefined) return strip(source, url);
  const file = join(cache, `${createHash('sha256').update(source).digest('hex')}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const code = strip(source, url);
    mkdirSync(cache, { recursive: true });
    // Written under a temporary name, so that nobody reads a partial file.
    const part = `${file}.${process.pid}`;
    writeFileSync(part, code);
    renameSync(part, file);
    return code;
  }
}

/** @type {((source: string, options: object) => { code: string }) | undefined} */
let transform;

/**
 * @param {string} source
 * @param {string} url
 */
function strip(source, url) {
  transform ??= require('@swc/wasm-typescript').transformSync;
  try {
    return /** @type {NonNullable<typeof transform>} */ (transform)(source, { mode: 'strip-only' })
      .code;
  } catch (fault) {
    const { code, message, startLine, snippet } = /** @type {Record<string, string>} */ (fault);
    const error = new SyntaxError(message);
    // Like Node's own: the location is in the first lines of the stack.
    throw Object.assign(error, {
      code: `ERR_${code === 'UnsupportedSyntax' ? 'UNSUPPORTED' : 'INVALID'}_TYPESCRIPT_SYNTAX`,
      stack: `${url}:${startLine}\n${snippet}\n${error.stack}`,
    });
  }
}

/** @type {Map<string, 'commonjs' | 'module'>} */
const formats = new Map();

/**
 * Determines the module type of a file from its package. Unlike Node, this does not search for `require` if
 * the package does not specify one.
 *
 * @param {string} url
 * @returns {'commonjs' | 'module'}
 */
function formatOf(url) {
  if (url.endsWith('.mts')) return 'module';
  const folder = new URL('.', url).href;
  const known = formats.get(folder);
  if (known !== undefined) return known;
  const format = readType(folder) === 'commonjs' ? 'commonjs' : 'module';
  formats.set(folder, format);
  return format;
}

/**
 * Returns `type` from the nearest package.json.
 *
 * @param {string} folder
 * @returns {string | undefined}
 */
function readType(folder) {
  try {
    return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).type;
  } catch {
    const parent = new URL('..', folder).href;
    return parent === folder ? undefined : readType(parent);
  }
}
