import server from '@berth/server/config.schema.json' with { type: 'json' };
import { toTable } from '../../spec/generate/pages.ts';

type Schema = {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
};

const HEAD = ['Setting', 'Type', 'Default', 'Effect'];

/** The page `docs/reference/configuration.md`: every setting of the server, from its schema. */
export function toConfiguration(): string {
  return `# Configuration

This page lists all settings in the server's configuration file. It is generated from the JSON Schema that the
package exports. \`<name>\` is a name of your choice, and \`[]\` is a list entry. The mock and the conformance suite
have no configuration file.

Run \`berth-server --config berth.yaml\`. For editor support, start the file with this line:
\`# yaml-language-server: $schema=./node_modules/@berth/server/generated/config.schema.gen.json\`

${toTable(HEAD, toRows(server as Schema, ''))}`;
}

function toRows(schema: Schema, path: string): string[][] {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => name !== '$schema');
  return properties.flatMap(([name, child]) => toSetting(child, path ? `${path}.${name}` : name));
}

function toSetting(schema: Schema, path: string): string[][] {
  const nested = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((form) => [
    ...toRows(form, path),
    ...(form.items ? toRows(form.items, `${path}[]`) : []),
    ...(typeof form.additionalProperties === 'object'
      ? toSetting(form.additionalProperties, `${path}.<name>`)
      : []),
  ]);
  const own = [`\`${path}\``, toType(schema), toDefault(schema), schema.description ?? ''];
  const rows = nested.length > 0 && !schema.description ? nested : [own, ...nested];
  return mergeForms(rows);
}

/** Merges the rows of a setting with several forms into one with all types. */
function mergeForms(rows: string[][]): string[][] {
  const merged = [...Map.groupBy(rows, ([path]) => path).values()];
  return merged.map((forms) => {
    const [path = '', , preset = '', effect = ''] = forms[0] ?? [];
    return [path, [...new Set(forms.map(([, type = '']) => type))].join(' or '), preset, effect];
  });
}

function toType(schema: Schema): string {
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return [...new Set(forms.map(toType))].join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.items) return `list of ${toType(schema.items)}`;
  const { type = 'any', minimum, maximum } = schema;
  const name = Array.isArray(type) ? type.join(' or ') : type;
  if (minimum === undefined || maximum === undefined || maximum === Number.MAX_SAFE_INTEGER)
    return name;
  return `${name}, ${minimum} to ${maximum}`;
}

function toDefault({ default: value }: Schema): string {
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return '';
  return `\`${JSON.stringify(value)}\``;
}
