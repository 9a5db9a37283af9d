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
export function toRequest(operation: Operation, draft: Draft, baseUrl: string): PreparedRequest {
  const { method, fields, surface } = operation;
  const { values, body, file } = draft;
  const headers = Object.fromEntries(
    // An empty header is not sent.
    fields.flatMap(({ name, in: place }) =>
      place === 'header' && values[name] ? [[name, values[name]]] : [],
    ),
  );
  if (surface === 'upload') {
    const form = new FormData();
    const text = new File([values[FILE] ?? ''], 'file.txt', { type: 'text/plain' });
    for (const { name } of fields)
      form.append(name, name === FILE ? (file ?? text) : (values[name] ?? ''));
    // The URL that `getUploadMetaData` returns, from the worker and from the mock.
    return { url: `${baseUrl}/upload`, init: { method, headers, body: form } };
  }
  const url = baseUrl + toPath(operation, values);
  if (operation.body === undefined) return { url, init: { method, headers } };
  return { url, init: { method, headers: { ...headers, 'Content-Type': JSON_TYPE }, body } };
}

/** The request as a command for the mock. */
export function toCurl(operation: Operation, draft: Draft): string {
  const { url, init } = toRequest(operation, draft, EXAMPLE_URL);
  const { method = 'GET', headers = {}, body } = init;
  const params = body instanceof FormData ? [...body] : [];
  return shellCurl.generate({
    method,
    url,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    ...(typeof body === 'string' && { postData: { mimeType: JSON_TYPE, text: body } }),
    ...(params.length > 0 && {
      postData: {
        mimeType: 'multipart/form-data',
        params: params.map(([name, value]) =>
          typeof value === 'string' ? { name, value } : { name, value: '', fileName: value.name },
        ),
      },
    }),
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
  body: ${toLiteral(body).replaceAll('\n', '\n  ')},
});
console.log(unwrapEnvelope(envelope));`;
}

function toGatewayCall(operation: Operation, values: Draft['values'], body: string): string {
  const token = (values.Authorization ?? '').replace(/^Bearer /, '');
  const path = values.anyPath ?? '';
  const accept = values.Accept ?? JSON_TYPE;
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
const JSON_TYPE = 'application/json';

function toPath({ path, fields }: Operation, values: Draft['values']): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return fields.find((field) => field.name === name)?.isRaw ? value : encodeURIComponent(value);
  });
}

/** JSON as an expression in TypeScript. */
function toLiteral(body: string): string {
  try {
    const text = JSON.stringify(JSON.parse(body), null, 2);
    return text.replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
  } catch {
    return quote(body);
  }
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
