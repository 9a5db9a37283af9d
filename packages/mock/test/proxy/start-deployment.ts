import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A deployment written in a test. */
export interface Deployment extends AsyncDisposable {
  readonly url: string;
}

/** Starts a deployment with the given response, valid or invalid. */
export async function startDeployment(listener: RequestListener): Promise<Deployment> {
  const server = createServer(listener);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
