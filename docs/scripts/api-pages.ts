import { basename } from 'node:path';
import list from '@berth/spec/downloads.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import sampleList from '@berth/spec/samples.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { API_PAGES } from './site-map.ts';
import { toTable } from './to-configuration.ts';

const DOCUMENTS: Record<string, Document> = {
  'gateway.v1': gateway as object as Document,
  'storage.v2': storage as object as Document,
};

const METHODS = ['get', 'post'] as const;

interface Document {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string; description: string }[];
  paths: Record<string, Item>;
  components: { securitySchemes: Record<string, Scheme> };
}

type Item = { parameters?: Part[]; servers?: Document['servers'] } & {
  [Method in (typeof METHODS)[number]]?: Operation;
};

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  security?: [];
  parameters?: Part[];
  requestBody?: Part;
  responses: Record<string, Part>;
}

interface Scheme {
  type: string;
  in?: string;
  name?: string;
  description: string;
}

/** A parameter, header, body or response, or a reference to one. */
interface Part {
  $ref?: string;
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  headers?: Record<string, Part>;
  content?: Record<string, { schema: Schema; examples?: Record<string, Example> }>;
}

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
}

interface Example {
  $ref?: string;
  summary?: string;
  value?: unknown;
}

/** The text of the API reference pages, by path: one page for each document. */
export function toApiPages(): Map<string, string> {
  return new Map(
    Object.entries(DOCUMENTS).map(([name, document]) => [
      API_PAGES[name] ?? '',
      toPage(name, document),
    ]),
  );
}

function toPage(name: string, document: Document): string {
  const { info, servers, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, item, method, ...item[method] }] : [])),
  );
  const uses = operations.flatMap(({ responses }) => Object.values(responses));
  const shared = new Map(
    [...Map.groupBy(uses, ({ $ref = '' }) => $ref)].flatMap(([ref, parts]) =>
      parts[0] && parts.length > 1 ? [[ref, parts[0]]] : [],
    ),
  );
  const headers = new Map(
    uses.flatMap((use) => Object.entries(resolve(document, use).headers ?? {})),
  );
  const downloads = list.downloads
    .filter(({ path }) => path.startsWith(`${name}/`))
    .map(({ path, file }) => `[${basename(path)}](../../spec/${file})`);

  const toOperation = ({ path, item, method, ...operation }: (typeof operations)[number]) => {
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
    const body = operation.requestBody && resolve(document, operation.requestBody);
    const responses = Object.entries(operation.responses).map(([status, response]) => {
      if (!shared.has(response.$ref ?? '')) return toResponse(`**${status}**: `, response);
      const link = `[${toWords(response.$ref)}](#${toAnchor(response.$ref)})`;
      return `**${status}**: ${link}`;
    });
    return joinParts([
      `## ${operation.summary} \\{#${operation.operationId}}`,
      `\`${method.toUpperCase()} ${path}\` · \`${operation.operationId}\``,
      operation.description,
      ...(item.servers ?? []).map((server) => `**URL**: ${toServer(server)}`),
      operation.security ? 'This call has no credentials in its headers.' : '',
      parameters.length > 0 ? '### Parameters' : '',
      parameters.map((part) => toParameter(document, resolve(document, part))).join('\n'),
      body ? `### Body\n\n${body.description}` : '',
      body ? toContent(document, body) : '',
      '### Responses',
      ...responses,
      '### Sample',
      toSamples(operation.operationId),
    ]);
  };

  const toResponse = (title: string, response: Part) => {
    const { description, ...part } = resolve(document, response);
    const names = Object.keys(part.headers ?? {}).map((header) => `[\`${header}\`](#headers)`);
    return joinParts([
      title + description,
      names.length > 0 ? `Headers: ${names.join(', ')}` : '',
      toContent(document, part),
    ]);
  };

  return joinParts([
    `# ${info.title}`,
    info.summary,
    `Version ${info.version}. Download: ${downloads.join(', ')}, [all documents](../reference/downloads.md)`,
    info.description,
    ...servers.map((server) => `**Base URL**: ${toServer(server)}`),
    toTable(
      ['Call', 'Method and path'],
      operations.map(({ operationId, summary, method, path }) => [
        `[${summary}](#${operationId})`,
        `\`${method.toUpperCase()} ${path}\``,
      ]),
    ),
    '## Authentication',
    ...Object.values(components.securitySchemes).map((scheme) =>
      toItem(`\`${scheme.name ?? 'Authorization'}\``, scheme.description),
    ),
    ...operations.map(toOperation),
    '## Shared responses',
    ...[...shared].map(
      ([ref, response]) =>
        `### ${toWords(ref)} \\{#${toAnchor(ref)}}\n\n${toResponse('', response)}`,
    ),
    '## Headers',
    [...headers]
      .map(([header, part]) => toItem(`\`${header}\``, resolve(document, part).description))
      .join('\n'),
  ]);
}

function toServer({ url, description }: Document['servers'][number]): string {
  return `\`${url}\`. ${description}`;
}

function toParameter(document: Document, { name, description, required, ...part }: Part): string {
  const type = resolve(document, part.schema ?? {}).type;
  return toItem(`\`${name}\` (${part.in}, ${type}${required ? ', required' : ''})`, description);
}

/** The fields and examples of a body. */
function toContent(document: Document, { content = {} }: Part): string {
  return joinParts(
    Object.entries(content).flatMap(([type, { schema, examples = {} }]) => [
      `Content type: \`${type}\``,
      // The other form of a request has the same fields in `data`, as its description says.
      toFields(document, resolve(document, schema).oneOf?.[0] ?? schema),
      /json|text/.test(type) ? toExamples(document, Object.values(examples)) : '',
    ]),
  );
}

/** One block without colours: a page with many elements takes long to become interactive. */
function toExamples(document: Document, examples: Example[]): string {
  const texts = examples.map((example) => {
    const { summary, value } = resolve(document, example);
    return `${summary}:\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`;
  });
  return toDetails('Examples', `\`\`\`text\n${texts.join('\n\n')}\n\`\`\``);
}

/** A list of the properties of an object, with those of the objects in it. */
function toFields(document: Document, of: Schema): string {
  const { properties = {}, required = [], items } = resolve(document, of);
  if (items) return toFields(document, items);
  return Object.entries(properties)
    .map(([name, property]) => {
      const schema = resolve(document, property);
      const item = schema.items && resolve(document, schema.items);
      const notes = [
        item ? `array of ${item.type}s` : schema.type,
        required.includes(name) ? 'required' : '',
        schema.default === undefined ? '' : `default \`${schema.default}\``,
      ];
      return toItem(
        `\`${name}\` (${notes.filter(Boolean).join(', ')})`,
        `${schema.description?.trim()}\n${toFields(document, schema)}`,
      );
    })
    .join('\n');
}

function toItem(title: string, text = ''): string {
  return `- ${title}: ${text.trim().replaceAll(/\n(?=.)/g, '\n  ')}`;
}

/** The sample for curl, and a link to the others: a page with all of them takes long to become interactive. */
function toSamples(operationId: string): string {
  const [curl, ...others] = sampleList.samples[operationId as keyof typeof sampleList.samples];
  const names = others.map(({ label }) => label).join(', ');
  return `\`\`\`sh\n${curl?.source}\n\`\`\`\n\nSamples for [${names}](../reference/samples.md#${operationId.toLowerCase()})`;
}

function toDetails(title: string, text: string): string {
  return `::: details ${title}\n\n${text}\n\n:::`;
}

/** What a reference points to, with the properties next to it. */
function resolve<T extends { $ref?: string }>(document: Document, part: T): T {
  if (!part.$ref) return part;
  const keys = part.$ref.split('/').slice(1);
  const target = keys.reduce((at: object, key) => at[key as keyof typeof at], document) as T;
  return { ...resolve(document, target), ...part, $ref: undefined };
}

function toName(ref = ''): string {
  return ref.split('/').at(-1) ?? '';
}

/** `#/components/responses/GatewayError` → `Gateway error` */
function toWords(ref?: string): string {
  return toName(ref).replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function toAnchor(ref?: string): string {
  return toWords(ref).toLowerCase().replaceAll(' ', '-');
}

function joinParts(parts: string[]): string {
  return `${parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n\n')}\n`;
}
