import type { Operation } from '../contract.ts';
import { type Documents, type OpenApiDocument, toFlatSchema } from '../documents.ts';
import { createInstance, getHttpOperationsFromSpec } from './prism.ts';
import type { Preferences } from './read-preferences.ts';
import type { Violation } from './violation.ts';

/** An operation of a document in the form that Prism expects. */
export type Resource = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

/** Discards Prism's logs, which cover every step. */
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
  /** Values of the path parameters; a greedy value contains its slashes. */
  params: Record<string, string>;
  headers: Record<string, string>;
  body?: unknown;
  /** Must not be shared between calls, because Prism modifies it. */
  preferences: Preferences;
}

/** A documented response, created from an example or a schema. */
export interface Documented {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

type Missing = 'example' | 'status' | 'type';

type Verdict =
  /** The request breaks the contract. */
  | { violations: Violation[] }
  /** The request is valid, and this is the documented response. */
  | { documented: Documented }
  /** The request is valid, but the contract has no response that matches its preferences. */
  | { missing: Missing };

export interface Oracle {
  ask(question: Question): Promise<Verdict>;
}

/**
 * Creates a Prism instance that validates requests, and creates responses from examples.
 *
 * @param checkSecurity whether requests need the credentials in `security`. The contract's surfaces check
 *   credentials themselves, with their own error codes.
 * @param components parts of Prism to replace
 */
export function createPrism(
  checkSecurity = false,
  components: Partial<Parameters<typeof createInstance>[1]> = {},
): ReturnType<typeof createInstance> {
  return createInstance(
    {
      isProxy: false,
      checkSecurity,
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    { logger: silentLogger as never, ...components },
  );
}

/**
 * Creates an oracle that runs Prism on both documents. It validates requests, and creates responses from
 * examples and schemas.
 */
export async function createOracle(documents: Documents): Promise<Oracle> {
  const prism = createPrism();
  const resources = await Promise.all(
    Object.values(documents).map((one) => getHttpOperationsFromSpec(toPrismDocument(one))),
  );
  const byId = new Map(resources.flat().map((resource) => [resource.iid, resource]));

  return {
    async ask({ operation, params, headers, body, preferences }) {
      // Prism modifies the preferences.
      const { code, exampleKey, dynamic } = preferences;
      const resource = byId.get(operation.id);
      if (resource === undefined)
        throw new TypeError(`Prism does not know the operation ${operation.id}.`);
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
      // Otherwise Prism would use the first example of the `default` error response, whatever its status.
      const isFree = exampleKey === undefined && !dynamic;
      if (code !== undefined && (code < 400 || isFree) && !hasStatus(resource, code)) {
        return { missing: 'status' };
      }
      const { statusCode: status, headers: outputHeaders = {}, body: outputBody } = output;
      return { documented: { status, headers: outputHeaders, body: outputBody } };
    },
  };
}

/** Returns whether an operation documents a status, by itself or as part of a range such as `4XX`. */
function hasStatus({ responses }: Resource, status: number): boolean {
  const range = `${Math.floor(status / 100)}XX`;
  return responses.some(({ code }) => code === `${status}` || code.toUpperCase() === range);
}

/** Copies a document and adapts it, so that Prism validates and responds as the contract requires. */
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
 * Prism's router supports only single-segment parameters. Since the operation is already known, Prism gets
 * just that operation, with each value encoded as one segment.
 */
function toPrismPath(template: string, params: Record<string, string>): string {
  // Every second piece is a name. A regular expression would take quadratic time for unclosed braces.
  return template
    .split(/[{}]/)
    .map((piece, at) => (at % 2 === 0 ? piece : encodeURIComponent(params[piece] ?? '')))
    .join('');
}

/** Describes why Prism found no response. */
function toMissing(error: Error & { status?: number }): Missing {
  if (error.status === 406) return 'type';
  // If Prism finds nothing for `code` and `example` together, it wraps both errors in one that has no
  // status.
  if (error.status === 404 || error.status === undefined) return 'example';
  throw error;
}
