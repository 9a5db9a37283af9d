import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMock } from '@berth/mock';
import { listen } from '@berth/runtimes/listen';
import {
  type Handlers,
  type Router,
  type RouterOptions,
  type RouteTable,
  toResponse,
} from '@berth/server-stubs/runtime';
import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { type Served, servePrism, serveScalar } from '../mock-servers.ts';
import { runNode } from '../tools.ts';
import type { Subject } from './documents.ts';

/** Mock servers; each responds to a valid request with a documented success. */
export const MOCKS = {
  prism: ({ file }: Subject) => servePrism(file),
  scalar: ({ file }: Subject) => serveScalar(file),
  async berth({ file }: Subject): Promise<Served> {
    const mock = await createMock({ document: file, seed: 'interop' });
    return { send: toSend(mock.url), close: () => mock.close() };
  },
};

/** The status of a request that a validator accepts: nothing implements the operations. */
export const ACCEPTED = 501;

/** Validators in front of a server without handlers. */
export const VALIDATORS = {
  async 'express-openapi-validator'({ file }: Subject): Promise<Served> {
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
  async berth({ file, folder }: Subject): Promise<Served> {
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

async function serve(listener: RequestListener): Promise<Served> {
  const { url, close } = await listen(listener);
  return { send: toSend(url), close };
}

function toSend(url: string): Served['send'] {
  return (target, init) => fetch(url + target, init);
}
