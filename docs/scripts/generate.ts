// Writes the pages of the reference that are not derived from the contract: `spec/generate.ts` writes those.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeGenerated } from '../../spec/generate/write.ts';
import { toConfiguration } from './to-configuration.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The commands: their programs and subcommands. */
const COMMANDS: Readonly<Record<string, [program: string, ...subcommands: string[]]>> = {
  berth: ['client/src/cli.ts', 'cp', 'url', 'rm', 'mv', 'call'],
  'berth-mock': ['mock/src/cli.ts'],
  'berth-server': ['server/src/cli.ts', 'token', 'fsck', 'revoke'],
  'berth-stubs': ['server-stubs/generator/cli.ts'],
  'berth-conformance': ['conformance/src/cli.ts', 'fixture'],
};

await write('configuration.md', toConfiguration());
await write('commands.md', toCommands());

async function write(page: string, text: string): Promise<void> {
  await writeGenerated(join(ROOT, 'docs/reference', page), text, 'docs/scripts/generate.ts');
}

/** The page of all options. */
function toCommands(): string {
  const sections = Object.entries(COMMANDS).map(([name, [program, ...subcommands]]) => {
    const helps = [[], ...subcommands.map((each) => [each])].map((command) => {
      const args = [...command, '--help'];
      return `\`\`\`console\n$ ${[name, ...args].join(' ')}\n${readHelp(program, args)}\`\`\`\n`;
    });
    return `## ${name}\n\n${helps.join('\n')}`;
  });
  return `# Commands

This page shows the options of each command, as \`--help\` prints them.

${sections.join('\n')}`;
}

function readHelp(program: string, args: string[]): string {
  const command = ['--conditions=berth-source', join(ROOT, 'packages', program), ...args];
  const env = { ...process.env, NO_COLOR: '1', COLUMNS: '', npm_lifecycle_event: '' };
  return execFileSync(process.execPath, command, { encoding: 'utf8', env }).replace(/ +$/gm, '');
}
