import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listen } from './listen.ts';

export interface Proxy {
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server in front of another one that changes the bodies of the calls on their way. */
export async function startProxy(
  target: string,
  change: (url: string, body: string) => string,
): Promise<Proxy> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = change(url, await readBody(request));
    const { 'content-length': _, connection: __, ...rest } = headers as Record<string, string>;
    const init = method === 'POST' ? { method, headers: rest, body } : { method, headers: rest };
    const answer = await fetch(target + url, init);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.bytes());
  });
  const url = await listen(server);
  return { url, [Symbol.asyncDispose]: () => closeServer(server) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
