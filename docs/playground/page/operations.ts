import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { FAULT_HEADER, FAULTS, SERVICE_NAMES } from '../choices.ts';

/** A value that the reader can edit: a parameter, a credential or a field of a form. */
export interface Field {
  readonly name: string;
  readonly in: 'path' | 'header' | 'form';
  readonly description: string;
  readonly value: string;
  /** Values to choose from, with their titles. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Whether other values are possible too. */
  readonly isOpen?: boolean;
  /** Whether a path parameter is sent as it is. */
  readonly isRaw?: boolean;
}

/** An operation of the contract, as the playground shows it. */
export interface Operation {
  readonly id: string;
  readonly surface: 'gateway' | 'storage' | 'upload';
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly Field[];
  /** The example of a JSON body. */
  readonly body: string | undefined;
}

const FAULT: Field = {
  name: FAULT_HEADER,
  in: 'header',
  description: 'Fault to inject, as in the mock.',
  value: '',
  choices: FAULTS,
};

// biome-ignore lint/suspicious/noExplicitAny: reads every corner of a document
type Document = any;

/** The operations of both documents, in their order. */
export const OPERATIONS: readonly Operation[] = [
  ...listOperations(gateway, 'gateway'),
  ...listOperations(storage, 'storage'),
];

function listOperations(document: Document, api: 'gateway' | 'storage'): Operation[] {
  return Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    ['get', 'post']
      .filter((method) => item[method])
      .map((method) => toOperation(document, api, path, method)),
  );
}

function toOperation(document: Document, api: 'gateway' | 'storage', path: string, method: string) {
  const item = document.paths[path];
  const operation = item[method];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
    .map((parameter) => resolve(document, parameter))
    .map(toParameter);
  const { content = {} } = resolve(document, operation.requestBody) ?? {};
  const json = content['application/json'];
  const form = content['multipart/form-data'];
  const [example] = Object.values<Document>((json ?? form)?.examples ?? {});
  const { value } = resolve(document, example) ?? {};
  const accepts = method === 'get' ? [toAccept(document, operation)] : [];
  const credentials = form ? [] : toCredentials(document);
  return {
    id: operation.operationId,
    surface: form ? ('upload' as const) : api,
    summary: operation.summary,
    method: method.toUpperCase(),
    path,
    fields: [
      ...parameters,
      ...accepts,
      ...(form ? toFormFields(resolve(document, form.schema), value) : [...credentials, FAULT]),
    ],
    body: json && JSON.stringify(value, null, 2),
  };
}

function toParameter(parameter: Document): Field {
  const { name, in: place, description, required, example } = parameter;
  const isRaw = parameter['x-berth-greedy'] === true;
  const field = { name, in: place, description, value: required ? example : '', isRaw };
  return name === 'name' ? { ...field, choices: toChoices(SERVICE_NAMES), isOpen: true } : field;
}

/** The media types that a service returns in the contract. */
function toAccept(document: Document, { responses }: Document): Field {
  const { content, 'x-berth-content': streams } = resolve(document, responses['200']);
  const types = Object.keys({ ...content, ...streams }).filter((type) => !type.includes('*'));
  const description = 'The media type of the response.';
  const [value = ''] = types;
  return { name: 'Accept', in: 'header', description, value, choices: toChoices(types) };
}

function toChoices(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value) => [value, value]));
}

/** The headers of the first way to authenticate. Any value is accepted, but the time must be a number. */
function toCredentials({ components, security: [first] }: Document): Field[] {
  return Object.keys(first).map((id) => {
    const { type, name, description } = components.securitySchemes[id];
    if (type === 'http') {
      return { name: 'Authorization', in: 'header', description, value: 'Bearer ACCESS_TOKEN' };
    }
    const value = { timestamp: String(Math.floor(Date.now() / 1000)), sessionToken: '' }[id];
    return { name, in: 'header', description, value: value ?? '1.0 SIGNATURE' };
  });
}

function toFormFields({ properties }: Document, example: Document): Field[] {
  return Object.entries<Document>(properties).map(([name, { description }]) => ({
    name,
    in: 'form',
    description,
    value: example[name],
  }));
}

function resolve(document: Document, value: Document): Document {
  if (!value?.$ref) return value;
  const steps = value.$ref.slice(2).split('/');
  return resolve(
    document,
    steps.reduce((place: Document, step: string) => place[step], document),
  );
}
