import { isObject } from '../contract/openapi.ts';
import type { Call } from '../http/exchange.ts';
import type { Draft } from './generate.ts';
import type { Operation, Parameter } from './plan.ts';

/** Separators between the items of a list that is sent as a single value. */
const SEPARATORS: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** Serializes a request, with parameters in their styles and the body in its media type. */
export async function writeRequest(
  base: string,
  { method, path, parameters, responses }: Operation,
  draft: Draft,
): Promise<Call> {
  const given = parameters.filter(({ key }) => draft.parameters[key] !== undefined);
  const among = (place: Parameter['in']) => given.filter((parameter) => parameter.in === place);
  const read = ({ key }: Parameter) => draft.parameters[key];
  const names = new Map(among('path').map((each) => [each.name, toSegment(each, read(each))]));
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => names.get(name) ?? '');
  const query = among('query').flatMap((each) => toPairs(each, read(each)));
  const cookies = among('cookie').flatMap((each) => toPairs(each, read(each)));
  const headers = among('header').map(
    (each) => [each.name, toSimple(each, read(each), String)] as const,
  );
  const { type, body } = await writeBody(draft);
  const { origin, pathname } = new URL(base);
  const search = query.length > 0 ? `?${query.join('&')}` : '';
  return {
    ...{ method, origin, body, target: pathname.replace(/\/+$/, '') + target + search },
    headers: [
      ['Accept', toAccept(responses)],
      ...headers,
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
      ...(type ? [['Content-Type', type] as const] : []),
    ],
  };
}

/** Prefers JSON, because bodies in other formats are not validated. */
function toAccept(responses: Operation['responses']): string {
  const types = responses
    .flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
    .filter((type) => /[/+]json\b/.test(type) && !type.includes('*'));
  return [...new Set(types), types.length > 0 ? '*/*;q=0.5' : '*/*'].join(', ');
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function encode(value: unknown): string {
  return encodeURIComponent(toText(value).toWellFormed());
}

/** Serializes a value in a path or header, with all items or properties in one string. */
function toSimple(
  { mediaType, explode }: Parameter,
  value: unknown,
  encodeText: (value: string) => string,
  separator = ',',
): string {
  const write = (item: unknown) => encodeText(toText(item).toWellFormed());
  if (mediaType !== undefined) return encodeText(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(write).join(separator);
  if (!isObject(value)) return write(value);
  return Object.entries(value)
    .map(([name, item]) => `${encodeText(name)}${explode ? '=' : ','}${write(item)}`)
    .join(separator);
}

function toSegment(parameter: Parameter, value: unknown): string {
  const { style, name, explode } = parameter;
  if (style === 'label')
    return `.${toSimple(parameter, value, encodeURIComponent, explode ? '.' : ',')}`;
  if (style !== 'matrix') return toSimple(parameter, value, encodeURIComponent);
  if (explode && Array.isArray(value))
    return value.map((item) => `;${name}=${encode(item)}`).join('');
  const prefix = explode && isObject(value) ? ';' : `;${name}=`;
  return prefix + toSimple(parameter, value, encodeURIComponent, explode ? ';' : ',');
}

/** Serializes a value in a query or cookie, as one or more `name=value` pairs. */
function toPairs(parameter: Parameter, value: unknown): string[] {
  const { name, style, explode, mediaType } = parameter;
  const key = encodeURIComponent(name);
  if (mediaType !== undefined) return [`${key}=${encode(JSON.stringify(value))}`];
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => `${key}=${encode(item)}`);
    return [`${key}=${value.map(encode).join(SEPARATORS[style] ?? ',')}`];
  }
  if (!isObject(value)) return [`${key}=${encode(value)}`];
  const entries = Object.entries(value);
  if (style === 'deepObject') {
    return entries.map(([field, item]) => `${key}[${encodeURIComponent(field)}]=${encode(item)}`);
  }
  if (explode)
    return entries.map(([field, item]) => `${encodeURIComponent(field)}=${encode(item)}`);
  return [`${key}=${entries.flat().map(encode).join(',')}`];
}

async function writeBody({ mediaType, body }: Draft): Promise<{ type?: string; body: Buffer }> {
  if (mediaType === undefined) return { body: Buffer.alloc(0) };
  const fields = Object.entries(Object(body)).filter(([, value]) => value !== undefined);
  if (/form-data/.test(mediaType)) {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, toText(value));
    const response = new Response(form);
    const type = response.headers.get('content-type') ?? mediaType;
    return { type, body: Buffer.from(await response.arrayBuffer()) };
  }
  if (/[/+]json\b/.test(mediaType)) {
    return { type: mediaType, body: Buffer.from(JSON.stringify(body)) };
  }
  const text = /x-www-form-urlencoded/.test(mediaType)
    ? new URLSearchParams(
        Object.fromEntries(fields.map(([name, value]) => [name, toText(value)])),
      ).toString()
    : toText(body);
  // Ranges such as `text/*` are not types.
  const type = mediaType.replace('/*', '/plain');
  return { type, body: Buffer.from(text) };
}
