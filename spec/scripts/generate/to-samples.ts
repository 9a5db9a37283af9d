// biome-ignore-all lint/suspicious/noExplicitAny: reads every corner of a document
import { basename } from 'node:path';
import { snippetz } from '@scalar/snippetz';
import { type Document, listOperations, type Operation, resolve } from './read-document.ts';

/** A call of an operation in a language, as the extension `x-codeSamples` has it. */
type Sample = { lang: string; label: string; source: string };

/** What is missing for a program that prints the response. */
const LANGUAGES = [
  {
    lang: 'Shell',
    label: 'curl',
    target: 'shell',
    client: 'curl',
    complete: (code: string) => code,
  },
  {
    lang: 'TypeScript',
    label: 'TypeScript',
    target: 'node',
    client: 'fetch',
    complete: (code: string) =>
      `${code.replace(/^fetch\(/m, 'const response = await fetch(')}\n\nconsole.log(response.status, await response.text())`,
  },
  {
    lang: 'Python',
    label: 'Python (httpx)',
    target: 'python',
    client: 'httpx_sync',
    complete: (code: string) =>
      `import httpx\n\nresponse = ${code}\n\nprint(response.status_code, response.text)`,
  },
  { lang: 'Go', label: 'Go', target: 'go', client: 'native', complete: (code: string) => code },
] as const;

/** Samples of each operation, made from its examples, by operationId. */
export function toSamples(document: Document): Record<string, Sample[]> {
  const printer = snippetz();
  return Object.fromEntries(
    listOperations(document).map((operation) => {
      const request = toRequest(document, operation);
      const samples = LANGUAGES.map(({ lang, label, target, client, complete }) => {
        const code = printer.print(target, client, request);
        if (!code) throw new Error(`snippetz has no ${target}/${client}`);
        return { lang, label, source: complete(code.trim()) };
      });
      return [operation.id, samples];
    }),
  );
}

/** Returns the request in the format of HTTP archives, with placeholders in capitals for credentials. */
function toRequest(document: Document, { method, path, item, operation }: Operation) {
  const [server] = item.servers ?? document.servers;
  const base = server.url.replace(
    /\{(\w+)\}/g,
    (_: string, name: string) => server.variables[name].default,
  );
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
    (parameter) => resolve(document, parameter),
  );
  const values = new Map(parameters.map(({ name, example }) => [name, example]));
  const content = resolve(document, operation.requestBody)?.content ?? {};
  const postData = toBody(document, content);
  const isJson = postData?.mimeType === 'application/json';
  return {
    method: method.toUpperCase(),
    url: base + path.replace(/\{(\w+)\}/g, (_, name) => values.get(name)),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
    headers: [
      ...toCredentials(document, operation.security ?? document.security),
      ...(isJson ? [{ name: 'Content-Type', value: 'application/json' }] : []),
    ],
    ...(postData && { postData }),
  };
}

function toCredentials({ components }: Document, [first = {}]: object[]) {
  return Object.keys(first).map((id) => {
    const { type, name } = components.securitySchemes[id];
    if (type === 'http') return { name: 'Authorization', value: 'Bearer ACCESS_TOKEN' };
    return { name, value: id.replace(/(?=[A-Z])/g, '_').toUpperCase() };
  });
}

function toBody(document: Document, content: Record<string, any>) {
  const [[mimeType, media] = []] = Object.entries(content);
  if (mimeType === undefined) return undefined;
  const [example = { value: {} }] = Object.values<any>(media.examples ?? {});
  const { value } = resolve(document, example);
  if (mimeType !== 'multipart/form-data') return { mimeType, text: JSON.stringify(value) };
  const { properties } = resolve(document, media.schema);
  const params = Object.entries<string>(value).map(([name, text]) =>
    properties[name].contentMediaType
      ? { name, value: '', fileName: basename(value.key), contentType: 'text/plain' }
      : { name, value: text },
  );
  return { mimeType, params };
}
