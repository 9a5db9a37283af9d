// biome-ignore-all lint/suspicious/noExplicitAny: reads every corner of a document and a collection
import { createRequire } from 'node:module';
import { type Document, listOperations } from './read-document.ts';

// It has no types.
const { convertV2 } = createRequire(import.meta.url)('openapi-to-postmanv2');

type Result = { result: boolean; reason?: string; output: { data: object }[] };

const OPTIONS = {
  folderStrategy: 'Tags',
  requestNameSource: 'Fallback',
  parametersResolution: 'Example',
  enableOptionalParameters: false,
};

/** Converts a document to a Postman collection 2.1, whose variables are the servers and the credentials. */
export async function toPostman(document: Document): Promise<object> {
  const { simple, variables } = simplify(document);
  const { result, reason, output } = await new Promise<Result>((resolve, reject) =>
    convertV2({ type: 'json', data: simple }, OPTIONS, (error: Error | null, found: Result) =>
      error ? reject(error) : resolve(found),
    ),
  );
  if (!result || !output[0]) throw new Error(`The document cannot become a collection: ${reason}`);
  const collection: any = withoutIds(output[0].data);
  for (const { item, operation } of listOperations(document)) {
    // The converter ignores the servers of a path.
    for (const { url, variables: own } of item.servers ?? []) {
      setHost(collection, operation.summary, url.replace(/\{(\w+)\}/g, '{{$1}}'));
      for (const [key, { default: value }] of Object.entries<any>(own))
        variables.push({ key, value });
    }
  }
  return { ...collection, variable: [...collection.variable, ...variables] };
}

/**
 * A copy of a document without what the converter does not read: it takes the first of several schemes that belong
 * together, so they become headers; and of a property only `example` and `format`.
 */
function simplify(document: Document) {
  const simple = structuredClone(document);
  const ids = Object.keys(simple.security[0]);
  const variables = ids.map((key) => ({ key, value: '' }));
  if (ids.length > 1) {
    delete simple.security;
    const headers = ids.map((id) => {
      const { name, description } = simple.components.securitySchemes[id];
      const example = `{{${id}}}`;
      return {
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
        example,
      };
    });
    for (const { operation } of listOperations(simple)) {
      if (!operation.security) operation.parameters = [...headers, ...(operation.parameters ?? [])];
    }
  }
  for (const schema of Object.values<any>(simple.components.schemas)) {
    for (const property of Object.values<any>(schema.properties ?? {})) {
      if (property.examples) property.example = property.examples[0];
      if (property.contentMediaType) property.format = 'binary';
    }
  }
  return { simple, variables };
}

function setHost(value: any, name: string, host: string): void {
  if (value === null || typeof value !== 'object') return;
  if (value.name === name && value.request) {
    for (const { originalRequest } of [{ originalRequest: value.request }, ...value.response]) {
      originalRequest.url.host = [host];
    }
  } else for (const item of Object.values(value)) setHost(item, name, host);
}

/**
 * Removes the random identifiers, which would differ each time. Postman creates them when it imports a
 * collection.
 */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(
    ([key, item]) => !(/^(_postman_)?id$/.test(key) && /^[\da-f-]{36}$/.test(String(item))),
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutIds(item)]));
}
