import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FileStore } from './file-store.ts';
import type { Links } from './links.ts';

/** A link is for GET alone, has no ranges, no `ETag`, and no type that says anything. */
export function download(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { files, links }: { files: FileStore; links: Links },
): void {
  const link = links.find(url);
  const content = typeof link === 'object' ? files.read(link.path) : undefined;
  if (method === 'GET' && content) {
    response.writeHead(200, { 'Content-Type': 'binary/octet-stream', Connection: 'close' });
    response.end(content);
  } else {
    response.writeHead(method === 'GET' ? 410 : 405, { Connection: 'close' });
    response.end('gone');
  }
}
