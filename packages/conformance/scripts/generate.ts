import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import contract from '@berth/spec/rules.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { writeGenerated } from '../../../spec/scripts/codegen.ts';
import type { OpenapiDocument } from '../src/contract/openapi.ts';
import { toOpenapi30 } from './to-openapi30.ts';

const GENERATOR = 'packages/conformance/scripts/generate.ts';
const folder = fileURLToPath(new URL('../src/generated/', import.meta.url));

await writeGenerated(
  `${folder}gateway.v1.openapi30.gen.json`,
  toOpenapi30(gateway as unknown as OpenapiDocument, 'gateway'),
  GENERATOR,
);
await writeGenerated(
  `${folder}storage.v2.openapi30.gen.json`,
  toOpenapi30(storage as unknown as OpenapiDocument, 'storage'),
  GENERATOR,
);
const ruleIds = contract.rules.map(({ id }) => `  | '${id}'`).join('\n');
await writeGenerated(
  `${folder}rule-ids.gen.ts`,
  `/** Every rule that deployments are checked against. */\nexport type RuleId =\n${ruleIds};`,
  GENERATOR,
);
const decisions: [id: string, title: string][] = [];
for (const [id, file] of Object.entries(contract.decisions)) {
  const text = await readFile(new URL(`../../../docs/decisions/${file}`, import.meta.url), 'utf8');
  decisions.push([id, /^# D\d+ · (.+)$/m.exec(text)?.[1] ?? id]);
}
await writeGenerated(
  `${folder}decision-titles.gen.ts`,
  `/** The title of each decision. */\nexport const DECISION_TITLES: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(decisions), null, 2)};`,
  GENERATOR,
);
// The upload target has no fixed path, and therefore no name to call it by.
const operations = Object.values(storage.paths)
  .map(({ post }) => post.operationId)
  .filter((id) => id !== 'uploadFile');
const effects: Record<string, { changesFiles: boolean }> = defaults.operations;
const changing = operations.filter((id) => effects[id]?.changesFiles !== false);
await writeGenerated(
  `${folder}storage-operations.gen.ts`,
  `/** The operations of the storage API. */\nexport const STORAGE_OPERATIONS = ${JSON.stringify(operations, null, 2)} as const;\n\n/** The operations that change files. */\nexport const CHANGING_OPERATIONS = ${JSON.stringify(changing, null, 2)} as const;`,
  GENERATOR,
);
