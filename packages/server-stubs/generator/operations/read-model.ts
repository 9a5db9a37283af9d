import { createHash } from 'node:crypto';
import { isObject, type Problems, RefusedError, toText } from '../document.ts';

import { isKnownDialect } from '../schema/normalise.ts';
import type { Model } from './model.ts';
import { readOperations, readSecuritySchemes } from './read-operations.ts';
import { trim } from './read-path.ts';

import { Reader } from './reader.ts';

/**
 * Reads an OpenAPI document. Collects in `problems` what cannot be generated.
 *
 * @throws RefusedError if it is not an OpenAPI 3 document
 */
export function readModel(
  document: unknown,
  problems: Problems,
  { basePath, sha256 }: { basePath?: string | undefined; sha256?: string | undefined } = {},
): Model {
  const openapi = isObject(document) ? document.openapi : undefined;
  if (!isObject(document) || typeof openapi !== 'string' || !/^3\.[012](\.|$)/.test(openapi)) {
    const message = `This is not an OpenAPI 3.0, 3.1 or 3.2 document: openapi ${describeVersion(openapi)}.`;
    throw new RefusedError([{ pointer: '#/openapi', message }]);
  }
  const dialect = document.jsonSchemaDialect;
  if (dialect !== undefined && !isKnownDialect(dialect)) {
    problems.refuse(
      '#/jsonSchemaDialect',
      `The dialect ${JSON.stringify(dialect)} is not supported. Write the schemas in draft 2020-12.`,
    );
  }
  const reader = new Reader({ document, is30: openapi.startsWith('3.0'), problems });
  const components = isObject(document.components) ? document.components : {};
  const info = isObject(document.info) ? document.info : {};
  const schemes = readSecuritySchemes(components.securitySchemes, reader);
  return {
    title: toText(info.title) ?? '',
    version: toText(info.version) ?? '',
    sha256: sha256 ?? createHash('sha256').update(JSON.stringify(document)).digest('hex'),
    securitySchemes: schemes,
    operations: readOperations(
      document,
      { schemes, ...(basePath === undefined ? {} : { basePath: trim(basePath) }) },
      reader,
    ),
    store: reader.store,
  };
}

function describeVersion(openapi: unknown): string {
  if (openapi === undefined) return 'is missing';
  // In YAML, 3.1 is a number.
  return typeof openapi === 'string' ? `is ${openapi}` : 'must be a text: put it in quotes';
}
