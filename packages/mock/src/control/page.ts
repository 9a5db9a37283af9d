import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Two folders up in both the source and the build. */
const FOLDER = join(import.meta.dirname, '../../page');

/** The files of the page, with their media types, by path below `/__mock`. */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/main.js': ['main.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

/** The page shows untrusted text, so it may only run its own script and call its own API. */
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
 * Returns a file of the page that shows a session's calls and files. It uses the control API, and no other host.
 *
 * @returns undefined if the path does not belong to the page
 */
export function findPage(path: string, url: string): Response | undefined {
  if (path === '') {
    const headers = { location: url.replace(/__mock/, '__mock/') };
    return new Response(null, { status: 308, headers });
  }
  const [file, type] = FILES[path] ?? [];
  if (file === undefined) return undefined;
  const headers = {
    'content-type': type ?? '',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  };
  return new Response(readFileSync(join(FOLDER, file)), { headers });
}
