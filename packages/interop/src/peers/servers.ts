import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMock } from '@berth/mock';
import {
  type Handlers,
  type Router,
  type RouterOptions,
  type RouteTable,
  toResponse,
} from '@berth/server-stubs/runtime';
import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { loadScalar, startPrism } from '../mock-servers.ts';
import { runNode } from '../tools.ts';
import type { Subject } from './documents.ts';
import type { Send } from './requests.ts';

/** A tool that serves a document. */
export interface Server {
  readonly send: Send;
  close(): Promise<void> | void;
}

/** Mock servers; each responds to a valid request with a documented success. */
export const MOCKS = {
  async prism({ file }: Subject): Promise<Server> {
    const { url, child } = await startPrism(file);
    return {
      send: toSend(url),
      async close() {
        child.kill();
        await once(child, 'exit');
      },
    };
  },
  async scalar({ file }: Subject): Promise<Server> {
    const createMockServer = await loadScalar();
    const app = await createMockServer({ document: await readFile(file, 'utf8') });
    return {
      send: async (target, init) => app.request(`http://localhost${target}`, init),
      close() {},
    };
  },
  async berth({ file }: Subject): Promise<Server> {
    const mock = await createMock({ document: file, seed: 'interop' });
    return { send: toSend(mock.url), close: () => mock.close() };
  },
};

/** The status of a request that a validator accepts: nothing implements the operations. */
export const ACCEPTED = 501;

/** Validators in front of a server without handlers. */
export const VALIDATORS = {
  async 'express-openapi-validator'({ file }: Subject): Promise<Server> {
    const report: ErrorRequestHandler = (error, _request, response, _next) => {
      response.status(error.status ?? 500).json({ message: error.message });
    };
    const app = express()
      .use(express.json({ strict: false, type: ['json', '+json'] }))
      .use(express.urlencoded())
      .use(express.text({ type: 'text/*' }))
      .use(middleware({ apiSpec: file, validateRequests: true }))
      .use((_request, response) => {
        response.sendStatus(ACCEPTED);
      })
      .use(report);
    return serve(app);
  },
  async berth({ file, folder }: Subject): Promise<Server> {
    const output = join(folder, 'stubs');
    await runNode('@berth/server-stubs', 'generator/cli.ts', [file, '-o', output, '--quiet']);
    const index = pathToFileURL(join(output, 'index.gen.ts')).href;
    const { createRouter, routes }: Stubs = await import(/* @vite-ignore */ index);
    const accept = () => {
      throw { [toResponse]: () => ({ status: ACCEPTED }) };
    };
    const handlers = routes.routes.map(({ operationId }) => [operationId, accept]);
    return serve(createRouter(Object.fromEntries(handlers), { responses: 'pass' }));
  },
};

/** What is used of the generated module. */
interface Stubs {
  routes: RouteTable;
  createRouter(handlers: Handlers, options: RouterOptions): Router;
}

async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    send: toSend(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function toSend(url: string): Send {
  return (target, init) => fetch(url + target, init);
}
