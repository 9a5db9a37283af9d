import { Converter } from '@apiture/openapi-down-convert';
import type { Api, Copy, OpenapiDocument, PathItem } from '../../src/contract/openapi.ts';

import { listDocumented } from '../../src/contract/operations.ts';

import { whyLeftOut } from './left-out.ts';
import { findRequestBody, listLeftOut } from './list-left-out.ts';
import { toDreddOperation, toDreddParameters } from './to-dredd-operation.ts';
import { toDreddSchemas } from './to-dredd-schema.ts';

/**
 * Converts a contract document to OpenAPI 3.0 for Dredd, with openapi-down-convert, and then reduces it to
 * what Dredd's parser accepts without a warning. Dredd silently drops responses that it does not understand,
 * so whatever it cannot run is removed here and listed in `x-berth-left-out` with the reason.
 */
export function toOpenapi30(source: OpenapiDocument, api: Api): Copy {
  const document = new Converter(source).convert() as OpenapiDocument;
  return {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    ...{ servers: [{ url: '/' }] },
    paths: toPaths(document, api),
    components: {
      schemas: toDreddSchemas(document.components.schemas as Record<string, unknown>),
    },
    'x-berth-left-out': listLeftOut(source),
  };
}

function toPaths(document: OpenapiDocument, api: Api): Record<string, PathItem> {
  const driven = listDocumented(document).filter(
    (entry) => whyLeftOut(entry, findRequestBody(document, entry)) === undefined,
  );
  const paths: Record<string, PathItem> = {};
  for (const { path, pathItem, method, operationId } of driven) {
    paths[path] ??= { parameters: toDreddParameters(document, pathItem.parameters) };
    paths[path][method] ??= toDreddOperation(
      document,
      api,
      driven.filter((entry) => entry.operationId === operationId),
    );
  }
  return paths;
}
