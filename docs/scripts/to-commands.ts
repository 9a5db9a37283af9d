import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../../packages');

/** The commands with their programs and subcommands. */
const COMMANDS: readonly (readonly [name: string, program: string, subcommands: string[]])[] = [
  ['berth', 'client/src/cli.ts', ['cp', 'url', 'rm', 'mv', 'call']],
  ['berth-mock', 'mock/src/cli.ts', []],
  ['berth-server', 'server/src/cli.ts', ['token', 'fsck', 'revoke']],
  ['berth-stubs', 'server-stubs/generator/cli.ts', []],
  ['berth-conformance', 'conformance/src/cli.ts', ['fixture']],
];

/** Returns the page of all options, as the commands print them. */
export function toCommands(): string {
  const sections = COMMANDS.map(([name, program, subcommands]) => {
    const helps = [[], ...subcommands.map((subcommand) => [subcommand])].map(
      (args) =>
        `\`\`\`console\n$ ${[name, ...args, '--help'].join(' ')}\n${readHelp(program, args)}\`\`\`\n`,
    );
    return `## ${name}\n\n${helps.join('\n')}`;
  });
  return `# Commands

This page shows the options of each command, as \`--help\` prints them.

${sections.join('\n')}`;
}

function readHelp(program: string, args: readonly string[]): string {
  const options = ['--conditions=berth-source', join(PACKAGES, program), ...args, '--help'];
  const env = { ...process.env, NO_COLOR: '1', COLUMNS: '' };
  return execFileSync(process.execPath, options, { encoding: 'utf8', env }).replace(/ +$/gm, '');
}
