import type { Operation } from '../contract.ts';
import { type Documents, type OpenApiDocument, toFlatSchema } from '../documents.ts';
import { createInstance, getHttpOperationsFromSpec } from './prism.ts';
import type { Preferences } from './read-preferences.ts';
import type { Violation } from './violation.ts';

/** Prism logs every step; the mock has nothing to do with these lines. */
const silentLogger = {
  child: () => silentLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  success() {},
};

interface Question {
  operation: Operation;
  /** Values of the path parameters; a greedy one holds its slashes. */
  params: Record<string, string>;
  headers: Record<string, string>;
  body?: unknown;
  /** An object of the call's own, for Prism writes into it. */
  preferences: Preferences;
}

/** An answer that the contract documents, made from an example or a schema. */
export interface Documented {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

type Missing = 'example' | 'status' | 'type';

type Verdict =
  /** The request breaks the contract. */
  | { violations: Violation[] }
  /** The request is good, and this is the documented answer. */
  | { documented: Documented }
  /** The request is good, but the contract has no such answer as it prefers or accepts. */
  | { missing: Missing };

export interface Oracle {
  ask(question: Question): Promise<Verdict>;
}

/** Prism over both documents: it validates requests, and answers from the examples and schemas. */
export async function createOracle(documents: Documents): Promise<Oracle> {
  const prism = createInstance(
    {
      isProxy: false,
      checkSecurity: false, // Credentials have codes of their own; the surfaces check them.
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    { logger: silentLogger as never },
  );
  const resources = await Promise.all(
    Object.values(documents).map((one) => getHttpOperationsFromSpec(toPrismDocument(one))),
  );
  const byId = new Map(resources.flat().map((resource) => [resource.iid, resource]));

  return {
    async ask({ operation, params, headers, body, preferences }) {
      const { code } = preferences;
      const resource = byId.get(operation.id);
      if (resource === undefined) throw new TypeError(`Prism does not know ${operation.id}.`);
      const input = {
        method: operation.method,
        url: { path: toPrismPath(operation.path, params), query: {} },
        headers,
        body,
      };
      const result = await prism.request(input, [resource], { mock: preferences } as never)();
      if (result._tag === 'Left') return { missing: toMissing(result.left) };
      const { output, validations } = result.right;
      if (validations.input.length > 0) return { violations: validations.input };
      // Prism would answer a success with the example of the errors that are documented for the rest.
      if (
        code !== undefined &&
        code < 400 &&
        !resource.responses.some((one) => one.code === `${code}`)
      ) {
        return { missing: 'status' };
      }
      const { statusCode: status, headers: outputHeaders = {}, body: outputBody } = output;
      return { documented: { status, headers: outputHeaders, body: outputBody } };
    },
  };
}

/** A copy of a document as Prism needs it to judge and to answer what the contract means. */
function toPrismDocument(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  // Bodies are validated after unwrapping.
  for (const { post } of Object.values(copy.paths)) {
    for (const media of Object.values(post?.requestBody?.content ?? {})) {
      media.schema = toFlatSchema(media.schema);
    }
  }
  return copy;
}

/**
 * Prism's router knows parameters of one segment only. The operation is already chosen, so Prism gets
 * that one alone, and a path in which each value is encoded into one segment.
 */
function toPrismPath(template: string, params: Record<string, string>): string {
  // Every other piece is a name: a pattern would be quadratic in braces that nobody closes.
  return template
    .split(/[{}]/)
    .map((piece, at) => (at % 2 === 0 ? piece : encodeURIComponent(params[piece] ?? '')))
    .join('');
}

/** What Prism found no answer for. */
function toMissing(error: Error & { status?: number }): Missing {
  if (error.status === 406) return 'type';
  // Prism wraps what it could not find for `code` and `example` together into an error without status.
  if (error.status === 404 || error.status === undefined) return 'example';
  throw error;
}
