import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');

/** The changelog: the next release, then each package by version. */
export async function toChangelog(): Promise<string> {
  const pending = new Map<string, string[]>();
  for (const file of globSync('.changeset/*.md', { cwd: ROOT }).sort()) {
    if (basename(file) === 'README.md') continue;
    const { packages, text } = parseChangeset(await readFile(join(ROOT, file), 'utf8'));
    for (const name of packages) pending.set(name, [...(pending.get(name) ?? []), text]);
  }
  const next = [...pending]
    .sort()
    .map(([name, texts]) => toSectionToChangelog(`### ${name}`, texts));

  const released = globSync('{spec,packages/*}/CHANGELOG.md', { cwd: ROOT }).sort();
  const logs = released.map(async (file) => {
    const log = await readFile(join(ROOT, file), 'utf8');
    return log
      .replace(/^# .*$/m, `## @berth/${basename(dirname(file))}`)
      .replace(/^##(?=#)/gm, '##');
  });
  const parts = [
    '# Changelog',
    next.length > 0 ? `## Next release\n\n${next.join('\n')}` : '',
    ...(await Promise.all(logs)),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function parseChangeset(changeset: string): { packages: string[]; text: string } {
  const [, head = '', text = ''] = /^---\n(.*?)---\n(.*)$/s.exec(changeset) ?? [];
  return { packages: Object.keys(parse(head) ?? {}), text: text.trim().replace(/\s*\n\s*/g, ' ') };
}

function toSectionToChangelog(heading: string, texts: string[]): string {
  return `${heading}\n\n${texts.map((text) => `- ${text}`).join('\n')}\n`;
}

const BIN = join(import.meta.dirname, '../node_modules/.bin');

/** Each command line with its subcommands. */
const COMMAND_LINES = {
  'berth-mock': [],
  'berth-conformance': ['client', 'fixture'],
  'berth-server': ['token', 'revoke', 'check-config', 'fsck'],
  berth: ['cp', 'url', 'rm', 'mv', 'call', 'tail'],
  'berth-stubs': ['init'],
};

/** The page with the `--help` output of all commands. */
export async function toCommandLines(): Promise<string> {
  const sections = Object.entries(COMMAND_LINES).flatMap(([name, commands]) => [
    toSection('##', name, []),
    ...commands.map((command) => toSection('###', name, [command])),
  ]);
  return `# Command lines

The output of \`--help\`. Each command is part of the package with its name: use \`npx berth-mock\` if \`@berth/mock\`
is installed, and \`npx @berth/mock\` otherwise. \`berth\` is part of \`@berth/client\`.

${(await Promise.all(sections)).join('\n')}`;
}

async function toSection(heading: string, name: string, command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(BIN, name), [...command, '--help'], {
    env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
  });
  return `${heading} ${[name, ...command].join(' ')}\n\n\`\`\`text\n${stdout.trim()}\n\`\`\`\n`;
}
