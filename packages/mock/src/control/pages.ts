import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../inspector');

/** The files of the page, with their media types, by path. */
const FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '': { file: 'index.html', type: 'text/html; charset=utf-8' },
  'main.js': { file: 'main.js', type: 'text/javascript; charset=utf-8' },
  'inspector.css': { file: 'inspector.css', type: 'text/css; charset=utf-8' },
};

/** The page shows untrusted bytes, so it may only run its own scripts and call its own API. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * Serves the page that shows a session's calls and files. It only uses the control API, and contacts no other
 * host.
 *
 * @param root base path, such as `/__mock/`
 * @returns whether the path belongs to the page
 */
export function servePage(
  root: string,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const path = url.split('?', 1)[0] as string;
  if (path === root.slice(0, -1)) {
    response.writeHead(308, { location: root }).end();
    return true;
  }
  const name = path.startsWith(root) ? path.slice(root.length) : undefined;
  if (name === undefined || !Object.hasOwn(FILES, name)) return false;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { file, type } = FILES[name] as { file: string; type: string };
  const body = readFileSync(join(FOLDER, file));
  response
    .writeHead(200, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .end(method === 'HEAD' ? undefined : body);
  return true;
}
