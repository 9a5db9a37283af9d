import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import list from '@berth/spec/downloads.json' with { type: 'json' };
import { FAULT_KINDS } from '../faults/fault.ts';

const PAGE_ROOT = join(import.meta.dirname, '../../inspector');

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/**
 * Creates a listener that serves the inspector: static files from the `inspector` folder, without a build
 * step. The page uses only the control API and contacts no other host.
 *
 * @param root base path of the page, such as `/__mock/`
 * @returns a listener that serves the page's files and returns false for every other path
 */
export function createInspector(root: string) {
  const names = readdirSync(PAGE_ROOT, { recursive: true, encoding: 'utf8' });
  const files = new Map(
    names
      .filter((name) => /\.(html|css|js)$/.test(name))
      .map((name) => [root + name, readFileSync(join(PAGE_ROOT, name), 'utf8')]),
  );
  const index = files.get(`${root}index.html`) ?? '';
  files.delete(`${root}index.html`);
  files.set(root, index);
  files.set(`${root}lit-html.js`, readLitHtml());
  files.set(`${root}fault-kinds.js`, `export const FAULT_KINDS = ${JSON.stringify(FAULT_KINDS)};`);
  const policy = toPolicy(index);

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path = ''] = (request.url ?? '').split('?');
    if (path === root.slice(0, -1)) {
      response.writeHead(308, { location: root }).end();
      return true;
    }
    const file = files.get(path);
    if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
    const [, ending = 'html'] = /\.(\w+)$/.exec(path) ?? [];
    response
      .writeHead(200, {
        'content-type': TYPES[ending],
        'content-length': Buffer.byteLength(file),
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .end(file);
    return true;
  };
}

/** Reads the browser build of lit-html, from the same package that Node resolves. */
function readLitHtml(): string {
  const forNode = createRequire(import.meta.url).resolve('lit-html');
  return readFileSync(join(dirname(forNode), '../lit-html.js'), 'utf8');
}

/** The page shows untrusted bytes, so it may only run its own scripts and call its own API. */
function toPolicy(index: string): string {
  const [, importMap = ''] = /<script type="importmap">([\s\S]*?)<\/script>/.exec(index) ?? [];
  const hash = createHash('sha256').update(importMap).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');
}

/** The documents of the contract as released, by their path below the root of the mock's own pages. */
export const { downloads } = list;

const SPEC = join(createRequire(import.meta.url).resolve('@berth/spec/package.json'), '..');

/**
 * Creates a listener that serves the contract's documents.
 *
 * @param root base path of the documents, such as `/__mock/`
 * @returns a listener that returns false for every other path
 */
export function createDownloads(root: string) {
  const byPath = new Map(downloads.map((download) => [root + download.path, download]));
  return ({ method, url = '' }: IncomingMessage, response: ServerResponse): boolean => {
    const download = byPath.get(url.split('?', 1)[0] as string);
    if (download === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    const text = readFileSync(join(SPEC, download.file));
    response
      .writeHead(200, {
        'content-type': download.type,
        'content-length': text.length,
        'cache-control': 'no-cache',
      })
      .end(method === 'GET' ? text : undefined);
    return true;
  };
}
