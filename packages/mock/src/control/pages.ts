import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import list from '@berth/spec/downloads.json' with { type: 'json' };
import { FAULT_KINDS } from '../faults/fault.ts';

const PAGE_ROOT = join(import.meta.dirname, '../../inspector');

const SCRIPT = 'text/javascript; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': SCRIPT,
};

/** The documents of the contract as released, by their path below the root of the mock's own pages. */
export const { downloads } = list;

const SPEC = join(createRequire(import.meta.url).resolve('@berth/spec/package.json'), '..');

/**
 * Creates a listener that serves the contract's documents, and the inspector: static files from the `inspector`
 * folder, without a build step. The page uses only the control API and contacts no other host.
 *
 * @param root base path, such as `/__mock/`
 * @returns a listener that returns false for every other path
 */
export function createPages(root: string) {
  const index = readFileSync(join(PAGE_ROOT, 'index.html'), 'utf8');
  const pages = new Map<string, { readonly type: string; read(): string | Buffer }>();
  const add = (path: string, type: string, read: () => string | Buffer) =>
    pages.set(root + path, { type, read });
  add('', 'text/html; charset=utf-8', () => index);
  add('lit-html.js', SCRIPT, readLitHtml);
  add('fault-kinds.js', SCRIPT, () => `export const FAULT_KINDS = ${JSON.stringify(FAULT_KINDS)};`);
  for (const name of readdirSync(PAGE_ROOT, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type !== undefined) add(name, type, () => readFileSync(join(PAGE_ROOT, name)));
  }
  for (const { path, type, file } of downloads) {
    add(path, type, () => readFileSync(join(SPEC, file)));
  }
  const policy = toPolicy(index);

  return ({ method, url = '' }: IncomingMessage, response: ServerResponse): boolean => {
    const path = url.split('?', 1)[0] as string;
    if (path === root.slice(0, -1)) {
      response.writeHead(308, { location: root }).end();
      return true;
    }
    const page = pages.get(path);
    if (page === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    const body = page.read();
    response
      .writeHead(200, {
        'content-type': page.type,
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .end(body);
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
