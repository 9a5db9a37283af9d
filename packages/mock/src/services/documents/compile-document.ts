import { readDocumentOperations } from '@berth/server-stubs/service-document';
import { createPrism, type Resource } from '../../contract/oracle/create-oracle.ts';
import { getHttpOperationsFromSpec } from '../../contract/oracle/prism.ts';
import type { Problem } from '../../util/source-file.ts';
import { decodeText, isObject } from '../../util/values.ts';
import type { CompiledRoute, CompiledService } from '../compile-service.ts';
import { compareRoutes, HTTP_METHODS, type HttpMethod, parseDocumentPath } from '../routes.ts';
import type { DocumentOptions } from '../services.ts';
import { createOperation, createSample, MAX_BODY_BYTES } from './operation.ts';

/** The only methods that the gateway forwards. */
const FORWARDED: readonly HttpMethod[] = ['GET', 'POST'];

/**
 * Compiles an OpenAPI document: each operation becomes a route. Its requests are validated as the generated
 * stubs do, and Prism creates its responses from examples or schemas. An operation that cannot be used is left
 * out, with a warning.
 *
 * @returns the service, or the problems if no operation can be used
 */
export async function compileDocument(
  name: string,
  document: unknown,
  options: DocumentOptions,
): Promise<{ service: CompiledService; warnings: readonly Problem[] } | readonly Problem[]> {
  const problem = findProblem(document);
  if (problem !== undefined) return [problem];
  const { readable, warnings } = toReadable(document as Record<string, unknown>);
  const methods = options.isRoot ? HTTP_METHODS : FORWARDED;
  const routes: CompiledRoute[] = [];
  const prism = createPrism();
  const resources = (await readResources(readable, warnings)).filter(({ method }) =>
    methods.includes(method.toUpperCase() as HttpMethod),
  );
  const operations =
    resources.length > 0 ? readDocumentOperations(readable, MAX_BODY_BYTES) : undefined;
  for (const { path, message } of operations?.warnings ?? []) {
    warnings.push({ path, rest: message, isComplete: true });
  }
  for (const resource of resources) {
    const method = resource.method.toUpperCase() as HttpMethod;
    const compile = operations?.find(method, resource.path);
    if (compile === undefined) continue;
    try {
      const key = parseDocumentPath(method, resource.path);
      routes.push({
        text: `${method} ${resource.path}`,
        key,
        method,
        respond: createOperation(prism, compile, resource, options),
        sample: createSample(prism, resource),
      });
    } catch (error) {
      const rest = `is left out: it ${(error as Error).message}`;
      warnings.push({ path: ['paths', resource.path], isKey: true, rest });
    }
  }
  if (routes.length === 0) {
    const rest = 'has no operation that can be served';
    return warnings.length > 0 ? warnings : [{ path: ['paths'], rest }];
  }
  routes.sort((one, other) => compareRoutes(one.key, other.key));
  const service: CompiledService = {
    name,
    routes,
    proxy: undefined,
    isExample: false,
    isDocument: true,
  };
  return { service, warnings };
}

/** Describes why a document cannot be read. */
function findProblem(document: unknown): Problem | undefined {
  if (!isObject(document)) return { path: [], rest: 'must be an OpenAPI document' };
  const { openapi, paths } = document;
  if (!/^3\.[01](\.|$)/.test(String(openapi))) {
    return { path: ['openapi'], rest: `must be 3.0 or 3.1, got ${openapi ?? 'none'}` };
  }
  return isObject(paths) ? undefined : { path: ['paths'], rest: 'must be an object' };
}

/** If the complete document cannot be read, leaves out the paths that cannot be read. */
async function readResources(
  given: Record<string, unknown>,
  warnings: Problem[],
): Promise<readonly Resource[]> {
  // Prism replaces references by their targets.
  const document = structuredClone(given);
  const read = async (paths: unknown) => {
    const found = await getHttpOperationsFromSpec({ ...document, paths } as object);
    // Prism would call the URLs of callbacks, which requests may contain.
    return found.map((resource) => ({ ...resource, callbacks: [] }));
  };
  try {
    return await read(document.paths);
  } catch {
    const found: Resource[] = [];
    for (const [path, item] of Object.entries(document.paths as object)) {
      await read({ [path]: item }).then(
        (resources) => found.push(...resources),
        ({ message }: Error) =>
          warnings.push({ path: ['paths', path], isKey: true, rest: `is left out: ${message}` }),
      );
    }
    return found;
  }
}

/**
 * Copies a document so that Prism can read it. References that are broken, or that lead to other files and
 * URLs, become empty objects. Otherwise, Prism would reject the document or load the files.
 */
function toReadable(document: Record<string, unknown>): {
  readable: Record<string, unknown>;
  warnings: Problem[];
} {
  const warnings: Problem[] = [];
  // A YAML alias is the same object in several places.
  const copies = new Map<object, unknown>();

  const copy = (node: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (!copies.has(node)) copies.set(node, create(node, path));
    return copies.get(node);
  };
  const create = (node: object, path: readonly (string | number)[]): unknown => {
    if (Array.isArray(node)) return node.map((item, at) => copy(item, [...path, at]));
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string' && !isKnown(document, $ref)) {
      const rest = `points to ${$ref.startsWith('#') ? 'a target that does not exist' : 'a file that cannot be read'}, and is ignored: "${$ref}"`;
      warnings.push({ path: [...path, '$ref'], rest });
      return {};
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => {
        return [key, copy(value, [...path, key])];
      }),
    );
  };

  return { readable: create(document, []) as Record<string, unknown>, warnings };
}

/** Returns whether the target of a reference exists in the document. Anchors are not looked up. */
function isKnown(document: unknown, ref: string): boolean {
  if (!ref.startsWith('#')) return false;
  if (!ref.startsWith('#/')) return true;
  let value = document;
  for (const step of ref.slice(2).split('/')) {
    const key = decodeText(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}
