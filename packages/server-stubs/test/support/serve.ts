import { createServer, type RequestListener, type Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { listen } from '../../../../scripts/testing/listen.ts';

/** Serves a listener on a free loopback port until the test ends, and returns its URL. */
export async function serve(listener: RequestListener | Server): Promise<string> {
  const server = typeof listener === 'function' ? createServer(listener) : listener;
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}
