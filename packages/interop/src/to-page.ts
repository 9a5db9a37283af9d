import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALL_IDS, type CallId, CHECKS } from './checks.ts';
import { MOCK_SERVERS } from './mock-servers.ts';
import { GENERATORS, versionOf } from './tools.ts';

const TOOLS = [...GENERATORS, ...MOCK_SERVERS];

/** Renders the reference page with the matrix. Tests run every cell. */
export function toPage(): string {
  return [
    '# Other generators and mock servers',
    '',
    'This page shows how well other tools work with the published documents. The clients of five generators call',
    '`@berth/mock` and the reference server, and two mock servers serve the documents.',
    '',
    '- **works**: The call works without changes.',
    '- **setting**: The call works with a setting, which is shown below.',
    '- **no**: The call does not work. The reason, and what to do instead, are below.',
    '',
    ...toTable(),
    '',
    'OpenAPI does not describe WebSockets. Use the [client](../../packages/client/README.md), or your own WebSocket library',
    'with the URL and the `Authorization` header of a GET.',
    '',
    ...TOOLS.flatMap(toSection),
  ].join('\n');
}

function toTable(): string[] {
  const rows = CALL_IDS.map((call) => [
    CHECKS[call].title,
    ...TOOLS.map((tool) => toCell(tool, call)),
  ]);
  return toLines([['', ...TOOLS.map(({ name }) => name)], ...rows]);
}

/** Renders a Markdown table, whose first row is the head. */
export function toLines([head = [], ...rows]: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

type Tool = (typeof TOOLS)[number];

/** Renders a cell in the matrix, which shows what a tool is expected to need for a call. */
export function toCell(tool: Tool, call: CallId): 'works' | 'setting' | 'no' {
  if ('limits' in tool && tool.limits.some(({ calls }) => calls.includes(call))) return 'no';
  return tool.settings.some(({ calls }) => calls.includes(call)) ? 'setting' : 'works';
}

function toSection(tool: Tool): string[] {
  const language = tool.command.startsWith('npx') ? 'sh' : 'js';
  return [
    `## ${tool.name}`,
    '',
    `Version ${versionOf(tool)}.`,
    '',
    `\`\`\`${language}`,
    tool.command,
    '```',
    '',
    ...(tool.config ? ['```js', tool.config, '```', ''] : []),
    ...tool.settings.flatMap((setting) => [
      `**${toTitles(setting.calls)}.** ${setting.why}`,
      '',
      ...('headers' in setting
        ? ['```http', ...Object.entries(setting.headers).map((line) => line.join(': ')), '```']
        : ['```ts', ...readRegion(setting.file, setting.region), '```']),
      '',
    ]),
    ...('limits' in tool ? tool.limits : []).flatMap(({ calls, why }) => [
      `**${toTitles(calls)}.** ${why}`,
      '',
    ]),
  ];
}

function toTitles(calls: readonly CallId[]): string {
  return calls.map((call) => CHECKS[call].title).join(', ');
}

/**
 * Returns the lines between `#region` and `#endregion` in a module of `clients/`, without their indentation.
 */
function readRegion(name: string, region: string): string[] {
  const file = join(import.meta.dirname, `../clients/${name}.ts`);
  const [, text] =
    new RegExp(`// #region ${region}\\n(.*?)\\n *// #endregion`, 's').exec(
      readFileSync(file, 'utf8'),
    ) ?? [];
  if (text === undefined) throw new Error(`${file} has no region ${region}.`);
  const indent = /^ */.exec(text)?.[0] ?? '';
  return text.split('\n').map((line) => line.replace(indent, ''));
}
