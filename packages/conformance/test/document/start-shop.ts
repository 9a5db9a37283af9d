import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listen } from '../support/listen.ts';

interface Item {
  id: number;
  name: string;
  price: number;
  tags?: string[];
}

/** What a response of the shop is made of. */
interface Reply {
  status: number;
  type?: string;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is text. */
  body?: unknown;
}

interface Shop {
  items: Map<number, Item>;
  requests: { method: string; url: string; authorization: string | undefined }[];
}

/** Changes what one operation responds with: the broken servers of the tests. */
export type Fault = (reply: Reply, call: { operation: string; body: unknown; shop: Shop }) => Reply;

/** Starts a server of shop.openapi.yaml, which follows it except for a fault. */
export async function startShop(fault: Fault = (reply) => reply) {
  const shop: Shop = {
    items: new Map([1, 2].map((id) => [id, { id, name: 'anchor', price: id }])),
    requests: [],
  };
  let next = 3;
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    shop.requests.push({ method, url, authorization: request.headers.authorization });
    const { pathname, searchParams } = new URL(url, 'http://shop');
    const body = await readJson(request);
    const id = /^\/items\/([^/]+)$/.exec(pathname)?.[1];
    const operation = `${method} ${id === undefined ? pathname : '/items/{id}'}`;
    const reply = fault(respond(operation, searchParams, body, Number(id)), {
      operation,
      body,
      shop,
    });
    const isText = typeof reply.body === 'string';
    const type = reply.type ?? 'application/json';
    response.writeHead(reply.status, {
      ...(reply.body === undefined ? {} : { 'content-type': type }),
      ...reply.headers,
    });
    response.end(isText ? reply.body : reply.body && JSON.stringify(reply.body));
  });

  function respond(operation: string, query: URLSearchParams, body: unknown, id: number): Reply {
    switch (operation) {
      case 'GET /items': {
        const limit = Number(query.get('limit') ?? 10);
        const sort = query.get('sort') ?? 'name';
        const isFine =
          Number.isInteger(limit) && limit >= 1 && limit <= 100 && /^(name|price)$/.test(sort);
        if (!isFine || !query.getAll('tag').every(isWord)) return problem(400);
        const items = [...shop.items.values()].slice(0, limit);
        return { status: 200, headers: { 'x-total': String(shop.items.size) }, body: { items } };
      }
      case 'POST /items': {
        if (!isNewItem(body)) return problem(400);
        const item = { ...body, id: next };
        next += 1;
        shop.items.set(item.id, item);
        return { status: 201, body: item };
      }
      case 'GET /items/{id}':
      case 'DELETE /items/{id}': {
        const item = shop.items.get(id);
        if (!Number.isInteger(id) || id < 1) return problem(400);
        if (item === undefined) return problem(404);
        if (operation.startsWith('GET')) return { status: 200, body: item };
        shop.items.delete(id);
        return { status: 204 };
      }
      case 'GET /prices':
        return {
          ...{ status: 200, type: 'text/event-stream' },
          body: 'data: {"price": 1}\n\ndata: {"price": 2.5}\n\n',
        };
      default:
        return problem(404);
    }
  }

  const url = await listen(server);
  return { url, shop, [Symbol.asyncDispose]: () => closeServer(server) };
}

export function problem(status: number): Reply {
  return { status, type: 'application/problem+json', body: { title: 'no' } };
}

const isWord = (value: unknown) => typeof value === 'string' && /^[a-z]+$/.test(value);

function isNewItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { name, price, tags = [], id: _, ...others } = value as Record<string, unknown>;
  return (
    Object.keys(others).length === 0 &&
    isWord(name) &&
    String(name).length <= 40 &&
    typeof price === 'number' &&
    price >= 0 &&
    Array.isArray(tags) &&
    tags.length <= 3 &&
    tags.every(isWord)
  );
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
