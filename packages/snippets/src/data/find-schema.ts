import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Block, toFileName } from '../page/block.ts';

const { resolve } = createRequire(import.meta.url);

/** Files that a page names without a `$schema`, and the schema of what they are. */
const BY_NAME: [RegExp, string][] = [
  [/^services\/[^/]+\.yaml$/, '@berth/mock/service.schema.json'],
  [/^(.+\/)?berth\.yaml$/, '@berth/server/config.schema.json'],
  [
    /^(.+\/)?berth-conformance[\w.-]*\.json$/,
    '@berth/conformance/berth-conformance.config.schema.json',
  ],
];

/**
 * The JSON Schema that a block of YAML or JSON has to fit: that of its `$schema`, else that of its file name.
 *
 * @returns `undefined` where it is no configuration of these packages
 * @throws Error where it names a schema that no package has
 */
export function findSchema(block: Block, value: unknown): object | undefined {
  const name = toSchemaName(block, value);
  return name === undefined ? undefined : JSON.parse(readFileSync(toPath(name), 'utf8'));
}

function toSchemaName(block: Block, value: unknown): string | undefined {
  const comment = /^# yaml-language-server: \$schema=(.+)$/m.exec(block.code)?.[1];
  const own = (value as { $schema?: unknown } | null)?.$schema;
  const file = toFileName(block) ?? '';
  return (
    comment ?? (typeof own === 'string' ? own : BY_NAME.find(([like]) => like.test(file))?.[1])
  );
}

/** `@berth/mock/service.schema.json`, or a path to it through `node_modules`, as editors need it. */
function toPath(name: string): string {
  const [, owner, path] = /^[./]*node_modules\/(@berth\/[\w-]+)\/(.+)$/.exec(name) ?? [];
  if (owner === undefined) return resolve(name);
  return join(dirname(resolve(`${owner}/package.json`)), path as string);
}
