import type { Violation } from '@berth/server-stubs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Documents } from '../../contract/documents.ts';
import { METHODS } from '../../contract/open-api.ts';
import { findHeader } from '../headers.ts';
import type { JudgedAnswer } from './create-answer-judge.ts';
import { violate } from './violate.ts';

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

const JSON_TYPE = 'application/json';

/** The answers that the documents have for each operation. */
export interface ResponseSchemas {
  /** @param body parsed; undefined where it is no JSON */
  judge(
    operationId: string,
    answer: Pick<JudgedAnswer, 'status' | 'headers' | 'method'>,
    body: unknown,
  ): readonly Violation[];
}

export function createResponseSchemas(documents: Documents): ResponseSchemas {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  });
  const validators = new Map<object, ValidateFunction>();
  const operations = new Map(
    Object.values(documents).flatMap(({ paths }) =>
      Object.values(paths).flatMap((item) =>
        METHODS.flatMap((method) => {
          const operation = item[method];
          return operation === undefined ? [] : [[operation.operationId, operation.responses]];
        }),
      ),
    ) as [string, Readonly<Record<string, DocumentedResponse>>][],
  );
  const validatorOf = (schema: object) => {
    const known = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, known);
    return known;
  };

  return {
    judge(operationId, { status, headers, method }, body) {
      const responses = operations.get(operationId) ?? {};
      const range = `${Math.floor(status / 100)}XX`;
      const documented = responses[status] ?? responses[range] ?? responses.default;
      if (documented === undefined) {
        return [violate('/status', 'status', `The status ${status} is not documented.`)];
      }
      const missing = Object.entries(documented.headers ?? {})
        .filter(([name, { required }]) => required && !findHeader(headers, name.toLowerCase()))
        .map(([name]) =>
          violate(`/headers/${name.toLowerCase()}`, 'required', `The header ${name} is missing.`),
        );
      const schema = documented.content?.[JSON_TYPE]?.schema;
      if (schema === undefined || method === 'HEAD') return missing;
      if (body === undefined) {
        const message = `The body of the ${status} must be JSON, with the Content-Type ${JSON_TYPE}.`;
        return [...missing, violate('/body', 'contentType', message)];
      }
      const validate = validatorOf(schema);
      return validate(body) ? missing : [...missing, ...(validate.errors ?? []).map(toViolation)];
    },
  };
}

function toViolation({ instancePath, keyword, schemaPath, params, message }: ErrorObject) {
  const lost = keyword === 'required' ? `/${params.missingProperty}` : '';
  const pointer = `/body${instancePath}${lost}`;
  const field = pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
  const what = keyword === 'required' ? 'is missing' : (message ?? 'is not valid');
  return violate(pointer, keyword, `${field} ${what}.`, schemaPath);
}
