import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Deployment } from '../platform-case.ts';
import type { PlatformId } from '../platforms.ts';
import { type CaseResult, LIMIT } from '../run-suite.ts';

const PAGE =
  '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
/**
 * How long to wait for the first result, which includes the browser's start, and between results, in
 * milliseconds.
 */
const SILENCE = 2 * LIMIT;

/** What a page reports about its run. */
export type Told =
  | { readonly result: CaseResult }
  | { readonly fault: string }
  | { readonly end: true };

/** A page that runs the suite as soon as a browser opens it. */
export interface ServedPage {
  readonly url: string;
  /** Resolves when the page has finished. */
  readonly ended: Promise<void>;
  /** Stops waiting for the page. */
  fail(error: Error): void;
  close(): void;
}

/**
 * Serves the suite's page. The page requests its input and reports its results by itself, so that it
 * runs in any browser that can open a URL.
 */
export async function servePage(
  platform: PlatformId,
  script: string,
  deployment: Deployment,
  tell: (result: CaseResult) => void,
): Promise<ServedPage> {
  const ended = Promise.withResolvers<void>();
  // The run may fail before anything awaits it.
  ended.promise.catch(() => {});
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    clearTimeout(timer);
    const silent = new Error(`The page has reported nothing for ${SILENCE} ms.`);
    timer = setTimeout(() => ended.reject(silent), SILENCE);
  };
  const hear = async (request: IncomingMessage) => {
    const told: Told = JSON.parse(await text(request));
    wait();
    if ('result' in told) tell(told.result);
    else if ('fault' in told) ended.reject(new Error(`The page failed: ${told.fault}`));
    else ended.resolve();
    return '';
  };
  const responses: Record<
    string,
    (request: IncomingMessage) => [string, string | Promise<string>]
  > = {
    '/': () => ['text/html', PAGE],
    '/page.js': () => ['text/javascript', readFile(script, 'utf8')],
    '/given': () => ['application/json', JSON.stringify({ platform, deployment })],
    '/told': (request) => ['text/plain', hear(request)],
  };
  const server = createServer(async (request, response) => {
    const [type, body] = responses[request.url ?? '']?.(request) ?? ['text/plain', 'Not found'];
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.end(await body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  wait();
  return {
    // A secure context, so that the page may sign.
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    ended: ended.promise,
    fail: ended.reject,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
