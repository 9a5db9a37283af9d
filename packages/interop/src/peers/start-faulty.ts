import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createMock } from '@berth/mock';
import { listen } from '@berth/runtimes/listen';
import { createGenerator } from '../../../conformance/src/document/generate.ts';
import { findResponse, type Operation } from '../../../conformance/src/document/plan.ts';
import { SEED, type Subject } from './documents.ts';
import type { Fault, Reply } from './faults.ts';
import type { Sample } from './requests.ts';

/** An example server of a document, whose faults can be changed. */
export interface FaultyServer {
  readonly url: string;
  /** Starts again without data, and with a fault. */
  reset(fault?: Fault): Promise<void>;
  /** How many responses the fault has changed. */
  readonly changed: number;
  close(): Promise<void>;
}

/** Starts a mock of a document that keeps what it is sent, behind a proxy that adds a fault. */
export async function startFaulty(
  subject: Subject,
  samples: readonly Sample[],
): Promise<FaultyServer> {
  const { file, operations, document } = subject;
  const mock = await createMock({ document: file, remember: true, seed: 'interop' });
  const find = createFinder(operations);
  let fault: Fault | undefined;
  let changed = 0;
  const deleted = new Set<string>();
  const successes = new Map<Operation, Reply>();
  const bodies = new Map<string, string>();
  const rejections = new Map<Operation, Reply>();

  const forward = async (request: IncomingMessage, body: string): Promise<Reply> => {
    const { method = 'GET', url = '/', headers } = request;
    const { host, connection, 'content-length': _, ...kept } = headers;
    const init = { method, headers: kept as Record<string, string>, ...(body ? { body } : {}) };
    return toReply(await fetch(mock.url + url, init));
  };
  const server = await listen(async (request, response) => {
    const body = await text(request);
    let reply = await forward(request, body);
    const [path = '/'] = (request.url ?? '/').split('?');
    const operation = find(request.method ?? 'GET', path);
    if (operation !== undefined) {
      const violation = findViolation(operation, request.headers['content-type'], body);
      reply = correct(operation, path, violation, reply);
      if (reply.status < 300) {
        if (operation.method === 'DELETE') deleted.add(path);
        else if (operation.method === 'POST' || operation.method === 'PUT') deleted.delete(path);
        successes.set(operation, reply);
      }
      if (operation === fault?.operation) {
        const context = {
          violation,
          success: successes.get(operation),
          isDeleted: deleted.has(path),
        };
        const given = reply;
        reply = fault.change(given, context);
        if (reply !== given) changed += 1;
      }
    }
    // Dredd reuses a connection after the server has closed it.
    response.writeHead(reply.status, { ...reply.headers, connection: 'close' }).end(reply.body);
  });

  /** Makes the example server correct by Ajv. */
  function correct(
    operation: Operation,
    path: string,
    violation: string | undefined,
    reply: Reply,
  ): Reply {
    if (violation !== undefined && reply.status < 300) {
      return rejections.get(operation) ?? { status: 400, headers: {}, body: '' };
    }
    const isRefused = reply.status === 400 || reply.status === 422;
    const isWrong = violation === undefined && isRefused && operation.parameters.length === 0;
    // Every item exists until it is deleted, because Dredd reads and deletes those of the examples.
    const isMissing = reply.status === 404 && !deleted.has(path);
    const given = isWrong || isMissing ? (successes.get(operation) ?? toEmpty(operation)) : reply;
    return toValid(operation, given ?? reply);
  }

  /** Replaces a body that its schema does not allow. */
  function toValid(operation: Operation, reply: Reply): Reply {
    const media = findResponse(operation, reply.status)?.content.find(({ mediaType }) =>
      /[/+]json\b/.test(mediaType),
    );
    const isJson = /json/.test(reply.headers['content-type'] ?? '');
    if (media?.schema === undefined || !isJson || reply.body === '') return reply;
    const { schema } = media;
    if (violates(schema, 'response', reply.body) === undefined) return reply;
    const key = `${operation.id} ${reply.status}`;
    const known = bodies.get(key) ?? JSON.stringify(createResponse(operation, schema));
    bodies.set(key, known);
    return { ...reply, body: known };
  }

  /** The generator is for requests, which leave out what is read-only. */
  function createResponse(operation: Operation, schema: string): unknown {
    const root = withoutReadOnly(document.root);
    const generator = createGenerator({ ...document, root }, operation, SEED);
    return generator.sample(withoutReadOnly(document.schemaAt(schema, 'response')));
  }

  function findViolation(
    { body: expected }: Operation,
    type: string | undefined,
    body: string,
  ): string | undefined {
    const media = expected?.content.find(({ mediaType }) => mediaType === type?.split(';')[0]);
    if (expected?.required && body === '') return 'must have required property body';
    if (media?.schema === undefined || !/json/.test(media.mediaType)) return undefined;
    return body === '' ? undefined : violates(media.schema, 'request', body);
  }

  /** Schemas that Ajv cannot use are not judged. */
  function violates(
    schema: string,
    direction: 'request' | 'response',
    body: string,
  ): string | undefined {
    try {
      return document.validate(schema, direction, JSON.parse(body));
    } catch (error) {
      return error instanceof SyntaxError ? 'must be JSON' : undefined;
    }
  }

  return {
    url: server.url,
    get changed() {
      return changed;
    },
    async reset(next) {
      await mock.session().reset();
      deleted.clear();
      changed = 0;
      for (const { operation, target, init, breaks } of samples) {
        const known = breaks === undefined ? successes : rejections;
        if (known.has(operation)) continue;
        const reply = await toReply(await fetch(mock.url + target, init));
        const isFit = breaks === undefined ? reply.status < 300 : [400, 422].includes(reply.status);
        if (isFit) known.set(operation, reply);
      }
      await mock.session().reset();
      fault = next;
    },
    async close() {
      await server.close();
      await mock.close();
    },
  };
}

function withoutReadOnly<Node>(node: Node): Node {
  const isMark = (name: string, value: unknown) => name === 'readOnly' && value === true;
  const copy = JSON.stringify(node, (name, value) => (isMark(name, value) ? undefined : value));
  return JSON.parse(copy);
}

/** The success of an operation that documents no body for it. */
function toEmpty({ responses }: Operation): Reply | undefined {
  const found = responses.find(
    ({ status, content }) => /^2\d\d$/.test(status) && content.length === 0,
  );
  return found && { status: Number(found.status), headers: {}, body: '' };
}

async function toReply(response: Response): Promise<Reply> {
  const omitted = ['content-length', 'transfer-encoding', 'connection', 'keep-alive'];
  const headers = [...response.headers].filter(([name]) => !omitted.includes(name));
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: await response.text(),
  };
}

/** Returns a function that finds the operation of a path; names take precedence over parameters. */
function createFinder(operations: readonly Operation[]) {
  const routes = operations
    .map((operation) => ({
      operation,
      pattern: new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    }))
    .toSorted((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length);
  return (method: string, path: string) =>
    routes.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
      ?.operation;
}
