import { shellCurl } from '@scalar/snippetz/plugins/shell/curl';
import { EXAMPLE_URL, FAULT_HEADER } from '../choices.ts';
import type { Operation } from './operations.ts';

/** What the reader has entered. */
export interface Draft {
  /** Values of the fields, by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  /** Content of the upload instead of the text in its field. */
  readonly file?: File | undefined;
}

/** A request that is ready to be sent. */
export interface PreparedRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** @param baseUrl URL of both APIs */
export function toRequest(
  operation: Operation,
  { values, body, file }: Draft,
  baseUrl: string,
): PreparedRequest {
  const { method, fields } = operation;
  const headers = toHeaders(operation, values);
  if (operation.surface === 'upload') {
    const form = new FormData();
    for (const { name } of fields) {
      if (name !== FILE) form.append(name, values[name] ?? '');
      else
        form.append(
          name,
          file ?? new File([values[name] ?? ''], 'file.txt', { type: 'text/plain' }),
        );
    }
    return { url: values.url ?? `${baseUrl}/upload`, init: { method, headers, body: form } };
  }
  const url = baseUrl + toPath(operation, values);
  if (operation.body === undefined) return { url, init: { method, headers } };
  return { url, init: { method, headers: { ...headers, ...JSON_TYPE }, body } };
}

/** The request as a command for the mock. */
export function toCurl(operation: Operation, { values, body, file }: Draft): string {
  const { method, surface, fields } = operation;
  const isUpload = surface === 'upload';
  const headers = {
    ...toHeaders(operation, values),
    ...(operation.body !== undefined && JSON_TYPE),
  };
  const params = fields.map(({ name }) =>
    name === FILE
      ? { name, value: '', fileName: file?.name ?? 'file.txt' }
      : { name, value: values[name] ?? '' },
  );
  return shellCurl.generate({
    method,
    url: EXAMPLE_URL + (isUpload ? '/upload' : toPath(operation, values)),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    ...(operation.body !== undefined && {
      postData: { mimeType: 'application/json', text: body },
    }),
    ...(isUpload && { postData: { mimeType: 'multipart/form-data', params } }),
  });
}

/** The call as a program for the mock, with the client. */
export function toTypeScript(operation: Operation, { values, body, file }: Draft): string {
  const { surface } = operation;
  if (surface === 'gateway') return toGatewayCall(operation, values, body);
  const head = `const storage = createStorageClient({
  baseUrl: '${EXAMPLE_URL}',
  envId: ${quote(values.envId ?? 'dev')},
  credentials: {
    authorization: ${quote(values['X-Svc-Authorization'] ?? '1.0 any')},
    timestamp: ${quote(values['X-Svc-TimeStamp'] ?? '1700000000')},
  },
});`;
  if (surface === 'upload') {
    const content = file ? `{ file: ${quote(file.name)} }` : quote(values[FILE] ?? '');
    return `import { createStorageClient } from '@berth/client';

${head}

// Gets a grant and sends the form.
const { fileID } = await storage.upload(${quote(values.key ?? '')}, ${content});
console.log(fileID);`;
  }
  return `import { createStorageClient, unwrapEnvelope } from '@berth/client';

${head}

const envelope = await storage.POST(${quote(operation.path)}, {
  body: ${toLiteral(body)},
});
console.log(unwrapEnvelope(envelope));`;
}

function toGatewayCall(operation: Operation, values: Draft['values'], body: string): string {
  const token = (values.Authorization ?? '').replace(/^Bearer /, '');
  const path = values.anyPath ?? '';
  const accept = values.Accept ?? JSON_TYPE['Content-Type'];
  const fault = values[FAULT_HEADER];
  const headers = [
    ...(accept === 'text/plain' ? [`Accept: ${quote(accept)}`] : []),
    ...(fault ? [`'${FAULT_HEADER}': ${quote(fault)}`] : []),
  ];
  const options = headers.length > 0 ? `, { headers: { ${headers.join(', ')} } }` : '';
  const lines = {
    events: `for await (const { id, data } of service.events(${quote(path)}, { reconnect: false })) {
  console.log(id, data);
}`,
    post: `console.log(await service.post(${quote(path)}, ${toLiteral(body)}${options}));`,
    get: `console.log(await service.get(${quote(path)}${options}));`,
  };
  const kind =
    operation.method === 'POST' ? 'post' : accept === 'text/event-stream' ? 'events' : 'get';
  return `import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({
  baseUrl: '${EXAMPLE_URL}',
  auth: bearer(${quote(token)}),
});
const service = gateway.service(${quote(values.name ?? '')});

${lines[kind]}`;
}

/** The field of the form that has the content of the file. */
const FILE = 'file';
const JSON_TYPE = { 'Content-Type': 'application/json' };

function toPath({ path, fields }: Operation, values: Draft['values']): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return fields.find((field) => field.name === name)?.isRaw ? value : encodeURIComponent(value);
  });
}

/** An empty header is not sent. */
function toHeaders({ fields }: Operation, values: Draft['values']): Record<string, string> {
  const headers = fields.filter((field) => field.in === 'header' && values[field.name]);
  return Object.fromEntries(headers.map(({ name }) => [name, values[name] ?? '']));
}

/** JSON as an expression in TypeScript, in two-space indentation. */
function toLiteral(body: string): string {
  try {
    const text = JSON.stringify(JSON.parse(body), null, 2);
    return text.replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:').replace(/\n/g, '\n  ');
  } catch {
    return quote(body);
  }
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
