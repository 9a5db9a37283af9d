import {
  type Api,
  dereference,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  type RequestBody,
  type ResponseObject,
} from '../../src/contract/openapi.ts';

import type { Documented } from '../../src/contract/operations.ts';

import { findProvocation } from '../../src/contract/operations.ts';
import { toDreddContent } from './to-dredd-content.ts';

/**
 * Converts an operation, keeping only the responses that Dredd can run. The summary is the operationId,
 * because Dredd names its transactions by summary. `x-berth-status` is the documented status of each
 * response.
 */
export function toDreddOperation(
  document: OpenapiDocument,
  api: Api,
  entries: Documented[],
): Operation {
  const [{ operation }] = entries as [Documented];
  const responses: Record<string, ResponseObject> = {};
  for (const { status, contentType, response } of entries) {
    const key = findProvocation({ api, status })?.copyStatus ?? status;
    responses[key] ??= { description: response.description, ...{ 'x-berth-status': status } };
    const media = contentType && response.content?.[contentType];
    if (media) {
      responses[key].content = {
        ...responses[key].content,
        [contentType]: toDreddContent(document, media),
      };
    }
  }
  return {
    operationId: operation.operationId,
    ...{ summary: operation.operationId },
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...toRequestBody(document, operation),
    responses,
  };
}

/** Path parameters only: Dredd would send every optional header that has an example. */
export function toDreddParameters(
  document: OpenapiDocument,
  nodes: Operation['parameters'] = [],
): Parameter[] {
  return nodes
    .map((node) => dereference<Parameter>(document, node, '').value)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, description = '', example }) => ({
      name,
      in: 'path',
      required: true,
      description,
      example,
      schema: { type: 'string' },
    }));
}

function toRequestBody(
  document: OpenapiDocument,
  operation: Operation,
): Pick<Operation, 'requestBody'> {
  if (operation.requestBody === undefined) return {};
  const { value } = dereference<RequestBody>(document, operation.requestBody, '');
  const content = Object.entries(value.content).map(([type, media]) => [
    type,
    toDreddContent(document, media),
  ]);
  return { requestBody: { content: Object.fromEntries(content) } };
}
