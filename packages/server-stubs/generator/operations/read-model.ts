import { createHash } from 'node:crypto';
import { isObject, type Problems, RefusedError, toText } from '../document.ts';

import { isKnownDialect } from '../schema/normalise.ts';
import { SchemaStore } from '../schema/schema-store.ts';
import type { Model } from './model.ts';
import { readOperations, readSecuritySchemes } from './read-operations.ts';
import { trim } from './read-path.ts';

interface ReadOptions {
  readonly basePath?: string | undefined;
  readonly sha256?: string | undefined;
  /** Whether to leave out the responses of operations. */
  readonly requestsOnly?: boolean;
}

/** @throws RefusedError if it is not an OpenAPI 3 document, or has no operation that can be used */
export function readModel(
  document: unknown,
  problems: Problems,
  { basePath, sha256, requestsOnly = false }: ReadOptions = {},
): Model {
  const openapi = isObject(document) ? document.openapi : undefined;
  if (!isObject(document) || typeof openapi !== 'string' || !/^3\.[012](\.|$)/.test(openapi)) {
    const message = `Only OpenAPI 3.0, 3.1 and 3.2 are supported: openapi ${describeVersion(openapi)}.`;
    throw new RefusedError([{ pointer: '#/openapi', message }]);
  }
  const dialect = document.jsonSchemaDialect;
  if (dialect !== undefined && !isKnownDialect(dialect)) {
    problems.warn(
      '#/jsonSchemaDialect',
      `The dialect ${JSON.stringify(dialect)} is not supported: schemas are read as draft 2020-12.`,
    );
  }
  const store = new SchemaStore({ document, is30: openapi.startsWith('3.0'), problems });
  const components = isObject(document.components) ? document.components : {};
  const info = isObject(document.info) ? document.info : {};
  const schemes = readSecuritySchemes(components.securitySchemes, store);
  return {
    title: toText(info.title) ?? '',
    version: toText(info.version) ?? '',
    sha256: sha256 ?? createHash('sha256').update(JSON.stringify(document)).digest('hex'),
    securitySchemes: schemes,
    operations: readOperations(
      document,
      { schemes, requestsOnly, ...(basePath === undefined ? {} : { basePath: trim(basePath) }) },
      store,
    ),
    store: store,
  };
}

function describeVersion(openapi: unknown): string {
  if (openapi === undefined) return 'is missing';
  // YAML reads an unquoted 3.1 as a number.
  return typeof openapi === 'string' ? `is ${openapi}` : 'must be a string, so put it in quotes';
}
