import {
  dereference,
  type LeftOut,
  type OpenapiDocument,
  type RequestBody,
} from '../../src/contract/openapi.ts';

import { type Documented, listDocumented } from '../../src/contract/operations.ts';

import { whyLeftOut } from './left-out.ts';

/** Lists every documented response and example that the copy leaves out, each with its reason. */
export function listLeftOut(document: OpenapiDocument): LeftOut[] {
  const documented = listDocumented(document);
  return [
    ...documented.flatMap((entry) => leftOutOf(document, entry)),
    ...documented.filter(isFirstOfOperation).flatMap((entry) => requestsOf(document, entry)),
  ];
}

/** Returns an operation's request body, or `undefined` if it has none. */
export function findRequestBody(
  document: OpenapiDocument,
  { operation }: Documented,
): RequestBody | undefined {
  return (
    operation.requestBody && dereference<RequestBody>(document, operation.requestBody, '').value
  );
}

function leftOutOf(document: OpenapiDocument, entry: Documented): LeftOut[] {
  const { operationId, status, contentType, examples } = entry;
  const place = { operationId, status, ...(contentType === undefined ? {} : { contentType }) };
  const reason = whyLeftOut(entry, findRequestBody(document, entry));
  if (reason) return [{ ...place, reason }];
  return examples.slice(1).map((example) => ({
    ...place,
    example,
    reason: 'Dredd supports only one example per response',
  }));
}

function requestsOf(document: OpenapiDocument, entry: Documented): LeftOut[] {
  const contents = Object.values(findRequestBody(document, entry)?.content ?? {});
  return contents
    .flatMap(({ examples }) => Object.keys(examples ?? {}).slice(1))
    .map((requestExample) => ({
      operationId: entry.operationId,
      requestExample,
      reason: 'Dredd supports only the first branch of oneOf',
    }));
}

function isFirstOfOperation(entry: Documented, index: number, all: Documented[]): boolean {
  return all.findIndex(({ operationId }) => operationId === entry.operationId) === index;
}
