import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import list from '@berth/spec/downloads.json' with { type: 'json' };

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
