import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BIN = join(import.meta.dirname, '../../node_modules/.bin');

/** Each command line with its subcommands. */
const COMMAND_LINES = {
  'berth-mock': [],
  'berth-conformance': ['fixture'],
  'berth-server': ['token', 'check-config', 'fsck'],
  berth: ['cp', 'url', 'rm', 'mv', 'call', 'tail'],
  'berth-stubs': ['init'],
};

/** The page of all command lines: what `--help` of each prints. */
export async function toCommandLines(): Promise<string> {
  const sections = Object.entries(COMMAND_LINES).flatMap(([name, commands]) => [
    toSection('##', name, []),
    ...commands.map((command) => toSection('###', name, [command])),
  ]);
  return `# Command lines

What \`--help\` prints. Each command comes with the package of its name: \`npx berth-mock\` where
\`@berth/mock\` is installed, else \`npx @berth/mock\`; \`berth\` is that of \`@berth/client\`.

${(await Promise.all(sections)).join('\n')}`;
}

async function toSection(heading: string, name: string, command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(BIN, name), [...command, '--help'], {
    env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
  });
  return `${heading} ${[name, ...command].join(' ')}\n\n\`\`\`text\n${stdout.trim()}\n\`\`\`\n`;
}
